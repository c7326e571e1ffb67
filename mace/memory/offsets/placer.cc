// Finds gaps for the greedy planners.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/offsets/placer.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "mace/base/sort.h"

namespace mace::memory {

Placer::Placer(const Problem& problem, const Relations& relations)
    : problem_(problem), relations_(relations) {
  placed_.reserve(problem.records.size());
  obstacles_.reserve(problem.records.size());
  offsets_.assign(problem.records.size(), kNoOffset);
}

void Placer::Clear() {
  placed_.clear();
  offsets_.assign(offsets_.size(), kNoOffset);
  total_ = 0;
}

int64_t Placer::FindGap(const Record& record, Fit fit,
                        const std::vector<Obstacle>& obstacles) const {
  const int64_t size = record.size.extent[0];
  int64_t best = kNoOffset;
  int64_t best_gap = std::numeric_limits<int64_t>::max();
  int64_t at = 0;  // the lowest aligned address above the obstacles so far
  for (const Obstacle& o : obstacles) {
    const int64_t gap = o.begin - at;
    if (gap >= size && gap < best_gap) {
      if (fit == Fit::kFirst) return at;
      best = at;
      best_gap = gap;
    }
    at = std::max(at, AlignUp(o.end, record.alignment));
  }
  return best == kNoOffset ? at : best;
}

void Placer::Place(int32_t id, Fit fit) {
  const Record& r = problem_.records[id];
  if (r.fixed_offset != kNoOffset) return PlaceAt(id, r.fixed_offset);
  obstacles_.clear();
  const bool any = relations_.any(id);
  for (const Placed& q : placed_) {
    if (q.last < r.first || r.last < q.first) continue;
    Obstacle o = {q.begin, q.end};
    if (any) {
      // offset(r) - offset(q) must not be in (low, high), so r must not overlap
      // [low + size(r), high) relative to q.
      const Relations::Gap gap = relations_.Between(q.id, id);
      if (gap.empty()) continue;
      o = {q.begin + gap.low + r.size.extent[0], q.begin + gap.high};
    }
    obstacles_.push_back(o);
  }
  if (any) {
    StableSort(&obstacles_, [](const Obstacle& a, const Obstacle& b) {
      return a.begin < b.begin;
    });
  }
  PlaceAt(id, FindGap(r, fit, obstacles_));
}

void Placer::PlaceAt(int32_t id, int64_t offset) {
  const Record& r = problem_.records[id];
  const int64_t end = offset + r.size.extent[0];
  offsets_[id] = offset;
  total_ = std::max(total_, end);
  const auto above = std::upper_bound(
      placed_.begin(), placed_.end(), offset,
      [](int64_t at, const Placed& q) { return at < q.begin; });
  placed_.insert(above, {offset, end, r.first, r.last, id});
}

void Placer::PlaceAll(const std::vector<int32_t>& order, Fit fit) {
  const auto n = static_cast<int32_t>(problem_.records.size());
  for (int32_t id = 0; id < n; ++id) {
    if (problem_.records[id].fixed_offset != kNoOffset) Place(id, fit);
  }
  for (int32_t id : order) {
    if (offsets_[id] == kNoOffset) Place(id, fit);
  }
}

std::vector<int32_t> BySize(const Problem& p) {
  std::vector<int32_t> order(p.records.size());
  std::iota(order.begin(), order.end(), 0);
  StableSort(&order, [&](int32_t a, int32_t b) {
    return p.records[a].size.extent[0] > p.records[b].size.extent[0];
  });
  return order;
}

}  // namespace mace::memory
