// Resolves aliases and splits pools.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/problem/reduce.h"

#include <algorithm>

#include "mace/base/str_cat.h"

namespace mace::memory {
namespace {

Status BadReduce(const Problem& p, int32_t id, const std::string& what) {
  return InvalidArgument(Label(p, id), ", an alias of ",
                         Label(p, p.records[id].alias_of), ": ", what);
}

Status CheckAlias(const Problem& p, int32_t id) {
  const Record& r = p.records[id];
  const Record& of = p.records[r.alias_of];
  if (r.pool != of.pool) return BadReduce(p, id, "they are in different pools");
  if (r.size.rank != 1 && (r.size != of.size || r.alias_offset != 0)) {
    return BadReduce(p, id, "an alias of an image must be all of it");
  }
  if (r.size.rank == 1 &&
      (r.alias_offset < 0 || r.alias_offset > of.size.extent[0] ||
       r.size.extent[0] > of.size.extent[0] - r.alias_offset)) {
    return BadReduce(
        p, id,
        StrCat("its ", r.size.extent[0], " bytes at ", r.alias_offset,
               " leave the ", of.size.extent[0], " bytes there"));
  }
  return Status();
}

// Returns whether `id` covers all of its root and is the only piece of it that
// lives in [from, to]. `num_pieces` is by root.
bool StandsForRoot(const Problem& p, const std::vector<Root>& roots,
                   const std::vector<int32_t>& num_pieces, int32_t id,
                   int64_t from, int64_t to) {
  const Root& root = roots[id];
  if (num_pieces[root.id] == 1) return true;
  if (root.delta != 0 || p.records[id].size != p.records[root.id].size) {
    return false;
  }
  for (size_t k = 0; k < roots.size(); ++k) {
    if (roots[k].id == root.id && static_cast<int32_t>(k) != id &&
        p.records[k].first <= to && from <= p.records[k].last) {
      return false;
    }
  }
  return true;
}

// Adds the declared overlaps of `id` to its root, but only if both pieces stand
// for their roots whenever both roots live.
void AddOverlaps(const Problem& p, const Reduced& reduced,
                 const std::vector<int32_t>& num_pieces, int32_t id,
                 Problem* to) {
  const Record& r = p.records[id];
  const int32_t a = reduced.item_of[reduced.roots[id].id];
  for (const Overlap& o : r.overlaps) {
    const int32_t b = reduced.item_of[reduced.roots[o.other].id];
    if (a == kNone || b == kNone || p.records[o.other].pool != r.pool ||
        reduced.roots[id].id == reduced.roots[o.other].id) {
      continue;
    }
    Record& ra = to->records[a];
    const Record& rb = to->records[b];
    const int64_t from = std::max(ra.first, rb.first);
    const int64_t until = std::min(ra.last, rb.last);
    if (StandsForRoot(p, reduced.roots, num_pieces, id, from, until) &&
        StandsForRoot(p, reduced.roots, num_pieces, o.other, from, until)) {
      ra.overlaps.push_back({b, o.safe_distance});
    }
  }
}

}  // namespace

std::vector<Root> FindRoots(const Problem& p) {
  const auto n = static_cast<int32_t>(p.records.size());
  std::vector<Root> roots(n, Root{kNone, 0});
  std::vector<int32_t> path;
  for (int32_t i = 0; i < n; ++i) {
    int32_t at = i;
    while (roots[at].id == kNone && p.records[at].alias_of != kNone) {
      path.push_back(at);
      at = p.records[at].alias_of;
    }
    if (roots[at].id == kNone) roots[at] = {at, 0};
    Root root = roots[at];
    for (; !path.empty(); path.pop_back()) {
      root.delta += p.records[path.back()].alias_offset;
      roots[path.back()] = root;
    }
  }
  return roots;
}

Status CheckAliases(const Problem& p) {
  const auto n = static_cast<int32_t>(p.records.size());
  // 0: not visited; i + 1: visited by the walk that began at i.
  std::vector<int32_t> seen(n, 0);
  for (int32_t i = 0; i < n; ++i) {
    int32_t at = i;
    for (; at != kNone && seen[at] == 0; at = p.records[at].alias_of) {
      seen[at] = i + 1;
    }
    if (at != kNone && seen[at] == i + 1 && p.records[i].alias_of != kNone) {
      return BadReduce(p, at, "aliases form a cycle");
    }
  }
  bool any = false;
  for (int32_t i = 0; i < n; ++i) {
    if (p.records[i].alias_of == kNone) continue;
    any = true;
    MACE_RETURN_IF_ERROR(CheckAlias(p, i));
  }
  if (!any) return Status();
  const std::vector<Root> roots = FindRoots(p);
  for (int32_t i = 0; i < n; ++i) {
    const Record& r = p.records[i];
    const Root& root = roots[i];
    if (root.delta % std::max(r.alignment, p.alignment) != 0) {
      return BadReduce(
          p, i,
          StrCat("it would lie ", root.delta, " bytes into ", Label(p, root.id),
                 ", not a multiple of its alignment"));
    }
    if (r.fixed_offset != kNoOffset && root.id != i) {
      return BadReduce(p, i,
                       StrCat("it has a fixed offset of its own; fix that of ",
                              Label(p, root.id)));
    }
  }
  return Status();
}

Reduced Reduce(const Problem& p) {
  const auto n = static_cast<int32_t>(p.records.size());
  Reduced reduced;
  reduced.roots = FindRoots(p);
  reduced.item_of.assign(n, kNone);
  int32_t num_pools = n > 0 ? 1 : 0;
  for (const Record& r : p.records) num_pools = std::max(num_pools, r.pool + 1);
  reduced.pools.resize(num_pools);
  for (PoolProblem& pool : reduced.pools) {
    pool.problem.alignment = p.alignment;
    pool.problem.fixed_may_overlap = p.fixed_may_overlap;
    pool.problem.element_bytes = p.element_bytes;
    pool.problem.row_pitch = p.row_pitch;
    pool.problem.max_extents = p.max_extents;
  }
  for (int32_t i = 0; i < n; ++i) {
    const Record& r = p.records[i];
    if (reduced.roots[i].id != i || r.size.count() == 0) continue;
    PoolProblem& pool = reduced.pools[r.pool];
    reduced.item_of[i] = static_cast<int32_t>(pool.record_of.size());
    pool.record_of.push_back(i);
    Record item;
    item.size = r.size;
    item.first = r.first;
    item.last = r.last;
    item.alignment = std::max(r.alignment, p.alignment);
    item.fixed_offset = r.fixed_offset;
    pool.problem.records.push_back(std::move(item));
  }
  bool any_overlap = false;
  for (int32_t i = 0; i < n; ++i) {
    const Record& r = p.records[i];
    any_overlap |= !r.overlaps.empty();
    const Root& root = reduced.roots[i];
    if (root.id == i || reduced.item_of[root.id] == kNone) continue;
    Record& item =
        reduced.pools[r.pool].problem.records[reduced.item_of[root.id]];
    item.first = std::min(item.first, r.first);
    item.last = std::max(item.last, r.last);
    item.alignment = std::max(item.alignment, r.alignment);
  }
  if (any_overlap) {
    std::vector<int32_t> num_pieces(n);
    for (const Root& root : reduced.roots) ++num_pieces[root.id];
    for (int32_t i = 0; i < n; ++i) {
      AddOverlaps(p, reduced, num_pieces, i,
                  &reduced.pools[p.records[i].pool].problem);
    }
  }
  return reduced;
}

}  // namespace mace::memory
