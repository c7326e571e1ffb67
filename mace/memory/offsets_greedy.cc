// offsets/NAIVE, LINEAR, GREEDY_BY_SIZE and TFLM_GREEDY: one pass over the
// records.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/offsets_greedy.h"

#include <algorithm>

#include "mace/memory/placer.h"

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
  // Of equal sizes the last goes first.
  std::vector<int32_t> order = BySize(p);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    const int64_t sa = p.records[a].size.extent[0];
    const int64_t sb = p.records[b].size.extent[0];
    return sa != sb ? sa > sb : a > b;
  });
  const Relations relations(p);
  Placer placer(p, relations);
  placer.PlaceAll(order, Fit::kFirst);
  return PlanOf(placer);
}

}  // namespace mace::memory
