// Validates the planners' plans by pairs, and untrusted ones by a sweep over
// addresses.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/problem/validate.h"

#include <algorithm>
#include <numeric>

#include "mace/base/sort.h"
#include "mace/base/str_cat.h"

namespace mace::memory {
namespace {

int32_t RootOf(const Problem& p, int32_t id) {
  while (p.records[id].alias_of != kNone) id = p.records[id].alias_of;
  return id;
}

bool Permits(const Record& r, int32_t other, int64_t distance) {
  for (const Overlap& o : r.overlaps) {
    if (o.other == other && distance >= o.safe_distance) return true;
  }
  return false;
}

std::string ValidateRange(int64_t offset, const Record& r) {
  return StrCat("[", offset, ", ", offset + r.size.extent[0], ")");
}

std::string Collision(const Problem& p, const std::vector<int64_t>& offsets,
                      int32_t a, int32_t b) {
  const Record& ra = p.records[a];
  const Record& rb = p.records[b];
  return StrCat(Label(p, a), " at ", ValidateRange(offsets[a], ra), " and ",
                Label(p, b), " at ", ValidateRange(offsets[b], rb),
                " overlap while both live, from step ",
                std::max(ra.first, rb.first), " to ",
                std::min(ra.last, rb.last));
}

bool Collide(const Problem& p, const std::vector<int64_t>& offsets, int32_t a,
             int32_t b) {
  const Record& ra = p.records[a];
  const Record& rb = p.records[b];
  const int64_t sa = ra.size.extent[0];
  const int64_t sb = rb.size.extent[0];
  return ra.pool == rb.pool && sa > 0 && sb > 0 && LiveTogether(ra, rb) &&
         offsets[a] < offsets[b] + sb && offsets[b] < offsets[a] + sa &&
         !MayOverlap(p, a, b, offsets[b] - offsets[a]);
}

// Returns what is wrong with one offset; empty if nothing.
std::string OffsetFault(const Problem& p, const std::vector<int64_t>& offsets,
                        int32_t id, int64_t limit) {
  const Record& r = p.records[id];
  const int64_t offset = offsets[id];
  if (r.size.rank != 1) return "is an image, which has no offset";
  if (r.size.extent[0] == 0) return "";
  if (offset < 0 || r.size.extent[0] > limit ||
      offset > limit - r.size.extent[0]) {
    return StrCat("at ", offset, " leaves the arena of ", limit, " bytes");
  }
  const int64_t alignment = std::max(r.alignment, p.alignment);
  if (offset % alignment != 0) {
    return StrCat("at ", offset, " is not a multiple of its alignment ",
                  alignment);
  }
  if (r.fixed_offset != kNoOffset && offset != r.fixed_offset) {
    return StrCat("at ", offset, " is not where it is fixed, ", r.fixed_offset);
  }
  if (r.alias_of != kNone && offsets[r.alias_of] != offset - r.alias_offset) {
    return StrCat("at ", offset, " is not where its alias is");
  }
  return "";
}

Status ValidateOffsets(const Problem& p, const Plan& plan) {
  const auto n = static_cast<int32_t>(p.records.size());
  if (static_cast<int32_t>(plan.offsets.size()) != n) {
    return InternalError(plan.offsets.size(), " offsets for ", n, " records");
  }
  std::vector<int64_t> totals(plan.pool_totals.size());
  for (int32_t i = 0; i < n; ++i) {
    const Record& r = p.records[i];
    if (r.pool >= static_cast<int32_t>(totals.size())) {
      return InternalError(Label(p, i), ": the plan has no such pool");
    }
    const std::string fault =
        OffsetFault(p, plan.offsets, i, plan.pool_totals[r.pool]);
    if (!fault.empty()) return InternalError(Label(p, i), " ", fault);
    if (r.size.extent[0] > 0) {
      totals[r.pool] =
          std::max(totals[r.pool], plan.offsets[i] + r.size.extent[0]);
    }
    for (int32_t j = 0; j < i; ++j) {
      if (Collide(p, plan.offsets, j, i)) {
        return InternalError(Collision(p, plan.offsets, j, i));
      }
    }
  }
  if (totals != plan.pool_totals) {
    return InternalError("the plan's totals are not those of its offsets");
  }
  return Status();
}

bool Covers(const Size& object, const Size& size) {
  for (int k = 0; k < 4; ++k) {
    if (object.extent[k] < size.extent[k]) return false;
  }
  return object.rank == size.rank;
}

Status ValidateObjects(const Problem& p, const Plan& plan) {
  const auto n = static_cast<int32_t>(p.records.size());
  const auto num_objects = static_cast<int32_t>(plan.object_sizes.size());
  if (static_cast<int32_t>(plan.object_ids.size()) != n ||
      plan.object_pools.size() != plan.object_sizes.size()) {
    return InternalError("the plan's lists differ in length");
  }
  std::vector<int64_t> totals(plan.pool_totals.size());
  for (int32_t o = 0; o < num_objects; ++o) {
    const int32_t pool = plan.object_pools[o];
    if (pool < 0 || pool >= static_cast<int32_t>(totals.size())) {
      return InternalError("object ", o, " has no pool");
    }
    const Size& size = plan.object_sizes[o];
    for (int k = 0; k < 3 && (size.rank == 2 || size.rank == 3); ++k) {
      if (size.extent[k] > p.max_extents[k]) {
        return InternalError("object ", o, " is larger than an object can be");
      }
    }
    totals[pool] += Bytes(p, size);
  }
  if (totals != plan.pool_totals) {
    return InternalError("the plan's totals are not those of its objects");
  }
  for (int32_t i = 0; i < n; ++i) {
    const Record& r = p.records[i];
    const int32_t object = plan.object_ids[i];
    if (object == kNone && r.size.count() == 0) continue;
    if (object < 0 || object >= num_objects) {
      return InternalError(Label(p, i), " has no object");
    }
    if (!Covers(plan.object_sizes[object], r.size) ||
        plan.object_pools[object] != r.pool) {
      return InternalError(Label(p, i), " does not fit object ", object);
    }
    for (int32_t j = 0; j < i; ++j) {
      if (plan.object_ids[j] == object && LiveTogether(p.records[j], r) &&
          !MayOverlap(p, j, i, 0)) {
        return InternalError(Label(p, j), " and ", Label(p, i),
                             " share object ", object, " while both live");
      }
    }
  }
  return Status();
}

}  // namespace

bool MayOverlap(const Problem& p, int32_t a, int32_t b, int64_t distance) {
  const Record& ra = p.records[a];
  const Record& rb = p.records[b];
  const int32_t root_a = RootOf(p, a);
  const int32_t root_b = RootOf(p, b);
  if (root_a == root_b) return true;
  if (p.fixed_may_overlap && p.records[root_a].fixed_offset != kNoOffset &&
      p.records[root_b].fixed_offset != kNoOffset) {
    return true;
  }
  return Permits(ra, b, distance) || Permits(rb, a, -distance);
}

Status Validate(const Problem& p, const Plan& plan, int64_t capacity) {
  if (plan.object_ids.empty()) {
    MACE_RETURN_IF_ERROR(ValidateOffsets(p, plan));
  } else {
    MACE_RETURN_IF_ERROR(ValidateObjects(p, plan));
  }
  int64_t total = 0;
  for (size_t pool = 0; pool < plan.pool_totals.size(); ++pool) {
    total += plan.pool_totals[pool];
    if (capacity > 0 && plan.pool_totals[pool] > capacity) {
      return InternalError("pool ", pool, " takes ", plan.pool_totals[pool],
                           " bytes of a capacity of ", capacity);
    }
  }
  const Certificate& c = plan.certificate;
  if (c.total != total || c.total < c.lower_bound) {
    return InternalError("the certificate claims ", c.total, " bytes (bound ",
                         c.lower_bound, "), the plan takes ", total);
  }
  return Status();
}

Status VerifyOffsets(const Problem& p, const std::vector<int64_t>& offsets,
                     int64_t arena_bytes) {
  const size_t n = p.records.size();
  if (offsets.size() != n) {
    return InvalidArgument("the plan has ", offsets.size(), " offsets for ", n,
                           " records");
  }
  std::vector<int32_t> order;
  order.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    const auto id = static_cast<int32_t>(i);
    const std::string fault = OffsetFault(p, offsets, id, arena_bytes);
    if (!fault.empty()) return InvalidArgument(Label(p, id), " ", fault);
    if (p.records[i].size.extent[0] > 0) order.push_back(id);
  }
  StableSort(&order, [&](int32_t a, int32_t b) {
    return offsets[a] != offsets[b] ? offsets[a] < offsets[b] : a < b;
  });
  // The records whose addresses reach those of `id`.
  std::vector<int32_t> reach;
  for (int32_t id : order) {
    size_t kept = 0;
    for (int32_t other : reach) {
      if (offsets[other] + p.records[other].size.extent[0] <= offsets[id]) {
        continue;
      }
      if (Collide(p, offsets, other, id)) {
        return InvalidArgument(Collision(p, offsets, other, id));
      }
      reach[kept++] = other;
    }
    reach.resize(kept);
    reach.push_back(id);
  }
  return Status();
}

}  // namespace mace::memory
