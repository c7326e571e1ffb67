// Improves the best heuristic plan by searches with less and less capacity.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/offsets/optimal.h"

#include "mace/memory/offsets/greedy.h"
#include "mace/memory/offsets/incumbent.h"
#include "mace/memory/problem/search_budget.h"

namespace mace::memory {
namespace {

bool AnyFixed(const Problem& p) {
  for (const Record& r : p.records) {
    if (r.fixed_offset != kNoOffset) return true;
  }
  return false;
}

// Offers the plan of every heuristic, until one cannot be improved.
void OfferHeuristics(const Problem& p, const Options& options,
                     Incumbent* best) {
  best->Offer(OffsetsGreedyBySize(p, options));
  if (!best->Done()) best->Offer(OffsetsTflmGreedy(p, options));
  if (!best->Done()) best->Offer(OffsetsNaive(p, options));
  // Looks at all records that were placed for each one.
  constexpr size_t kMaxRecords = 4096;
  if (!best->Done() && !AnyFixed(p) && p.records.size() <= kMaxRecords) {
    best->Offer(OffsetsArena(p, options));
  }
}

Result<Plan> PlanWith(const Problem& p, const Options& options, bool thorough) {
  SearchBudget budget(options);
  Incumbent best(p, options);
  OfferHeuristics(p, options, &best);
  Descend(p, thorough, options.capacity, &budget, &best);
  return best.ToPlan(budget.nodes());
}

}  // namespace

Result<Plan> OffsetsSkyline(const Problem& p, const Options& options) {
  // At most 10 ms, which 450 records take; their nodes are the slowest.
  constexpr int64_t kMaxNodes = 2500;
  constexpr int64_t kNodesTimesRecords = 740000;
  const auto n = std::max<int64_t>(1, p.records.size());
  const int64_t nodes = std::min(kMaxNodes, kNodesTimesRecords / n + 1);
  Options less = WithNodes(options, nodes);
  less.max_nodes = less.max_nodes > 0 ? std::min(less.max_nodes, nodes) : nodes;
  return PlanWith(p, less, /*thorough=*/false);
}

Result<Plan> OffsetsOptimal(const Problem& p, const Options& options) {
  // A dozen records with alignments of all kinds can take tens of millions of
  // nodes, each a quarter of a microsecond.
  constexpr int64_t kFew = 16;
  const auto n = std::max<int64_t>(1, p.records.size());
  const int64_t nodes =
      n <= kFew ? 100000000 : std::max<int64_t>(100000000 / n, 400000);
  return PlanWith(p, WithNodes(options, nodes), /*thorough=*/true);
}

Result<Plan> OffsetsAuto(const Problem& p, const Options& options) {
  return PlanWith(p, WithNodes(options, 20000), /*thorough=*/true);
}

}  // namespace mace::memory
