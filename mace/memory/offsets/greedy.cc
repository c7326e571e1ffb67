// offsets/NAIVE, LINEAR, GREEDY_BY_SIZE, TFLM_GREEDY and ARENA: one pass.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/offsets/greedy.h"

#include <algorithm>
#include <numeric>

#include "mace/base/sort.h"
#include "mace/memory/offsets/arena_layout.h"
#include "mace/memory/offsets/placer.h"

namespace mace::memory {
namespace {

Plan PlanOf(const Placer& placer) {
  Plan plan;
  plan.offsets = placer.offsets();
  return plan;
}

}  // namespace

Result<Plan> OffsetsNaive(const Problem& p, const Options&) {
  Plan plan;
  int64_t at = 0;
  for (const Record& r : p.records) {
    const bool fixed = r.fixed_offset != kNoOffset;
    plan.offsets.push_back(fixed ? r.fixed_offset : kNoOffset);
    if (fixed) at = std::max(at, r.fixed_offset + r.size.extent[0]);
  }
  for (size_t i = 0; i < p.records.size(); ++i) {
    const Record& r = p.records[i];
    if (r.fixed_offset != kNoOffset) continue;
    plan.offsets[i] = AlignUp(at, r.alignment);
    at = plan.offsets[i] + r.size.extent[0];
  }
  return plan;
}

Result<Plan> OffsetsGreedyBySize(const Problem& p, const Options&) {
  const Relations relations(p);
  Placer placer(p, relations);
  placer.PlaceAll(BySize(p), Fit::kBest);
  return PlanOf(placer);
}

Result<Plan> OffsetsTflmGreedy(const Problem& p, const Options&) {
  // Of records of equal size, the last goes first.
  std::vector<int32_t> order = BySize(p);
  StableSort(&order, [&](int32_t a, int32_t b) {
    const int64_t sa = p.records[a].size.extent[0];
    const int64_t sb = p.records[b].size.extent[0];
    return sa != sb ? sa > sb : a > b;
  });
  const Relations relations(p);
  Placer placer(p, relations);
  placer.PlaceAll(order, Fit::kFirst);
  return PlanOf(placer);
}

Result<Plan> OffsetsArena(const Problem& p, const Options&) {
  const auto n = static_cast<int32_t>(p.records.size());
  int64_t begin = 0;
  int64_t end = 0;
  for (int32_t i = 0; i < n; ++i) {
    const Record& r = p.records[i];
    begin = i == 0 ? r.first : std::min(begin, r.first);
    end = i == 0 ? r.last : std::max(end, r.last);
  }
  const auto whole = [&](int32_t i) {
    return p.records[i].first == begin && p.records[i].last == end;
  };
  std::vector<int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  StableSort(&order, [&](int32_t a, int32_t b) {
    if (whole(a) || whole(b)) return whole(a) && !whole(b);
    const int64_t sa = p.records[a].size.extent[0];
    const int64_t sb = p.records[b].size.extent[0];
    return sa != sb ? sa > sb : p.records[a].first < p.records[b].first;
  });
  ArenaLayout layout;
  Plan plan;
  plan.offsets.resize(n);
  for (int32_t id : order) {
    const Record& r = p.records[id];
    plan.offsets[id] =
        layout.Allocate(r.alignment, r.size.extent[0], id, r.first, r.last)
            .offset;
  }
  return plan;
}

}  // namespace mace::memory
