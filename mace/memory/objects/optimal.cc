// objects/AUTO and OPTIMAL: improve the best heuristic plan by branch and
// bound.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mace/base/sort.h"
#include "mace/memory/objects/objects.h"
#include "mace/memory/objects/search.h"
#include "mace/memory/problem/bounds.h"

namespace mace::memory {
namespace {

// The nodes of the first restarts per record; they double in each round.
constexpr int64_t kNodesPerRecord = 8;

int64_t TotalOfOptimal(const Problem& p, const Plan& plan) {
  int64_t total = 0;
  for (const Size& size : plan.object_sizes) total += Bytes(p, size);
  return total;
}

void Offer(const Problem& p, Result<Plan> plan, Plan* best) {
  if (!plan.ok() || plan->object_ids.size() != p.records.size()) return;
  if (best->object_ids.empty() ||
      TotalOfOptimal(p, *plan) < TotalOfOptimal(p, *best)) {
    *best = std::move(*plan);
  }
}

// Returns the best plan of all heuristics that take such sizes, except
// MINCOSTFLOW, which takes longer than all others.
Plan BestHeuristic(const Problem& p, const Options& options) {
  Plan best;
  Offer(p, ObjectsNaive(p, options), &best);
  Offer(p, ObjectsEquality(p, options), &best);
  const int rank = p.records[0].size.rank;
  if (rank <= 3) {
    Offer(p, ObjectsGreedyInOrder(p, options), &best);
    Offer(p, ObjectsGrowInOrder(p, options), &best);
  }
  const int64_t bound = ObjectsLowerBound(p);
  if (rank > 1 || TotalOfOptimal(p, best) <= bound) return best;
  Offer(p, ObjectsGreedyBest(p, options), &best);
  return best;
}

// Returns an order with large and long-lived records first. The weight of the
// lifetime varies; after the first orders, so do the keys, at random but always
// in the same way.
std::vector<int32_t> OrderOf(const Problem& p, int index) {
  constexpr double kLifePowers[] = {0.5, 0, 1};
  constexpr int kPlainOrders = 3;
  constexpr double kMaxNoise = 0.35;
  uint64_t state = 0x9e3779b97f4a7c15 * static_cast<uint64_t>(index + 1);
  const double noise =
      index < kPlainOrders ? 0 : kMaxNoise * (index % 8 + 1) / 8;
  std::vector<double> keys;
  for (const Record& r : p.records) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    const double random =
        static_cast<double>(state * 0x2545f4914f6cdd1d >> 40) / (1 << 23) - 1;
    keys.push_back(
        static_cast<double>(Bytes(p, r.size)) *
        std::pow(r.last - r.first + 1, kLifePowers[index % kPlainOrders]) *
        (1 + noise * random));
  }
  std::vector<int32_t> order(p.records.size());
  std::iota(order.begin(), order.end(), 0);
  StableSort(&order, [&](int32_t a, int32_t b) { return keys[a] > keys[b]; });
  return order;
}

// Looks for plans below `best`. Returns true if there are none.
bool Improve(const Problem& p, int64_t goal, SearchBudget* budget, Plan* best) {
  ObjectsSearch search(p);
  const auto n = static_cast<int64_t>(p.records.size());
  const bool images = p.records[0].size.rank > 1;
  for (int index = 0; !budget->spent(); ++index) {
    const int round = std::min(index / 6, 30);
    const bool frugal = images && index % 2 == 0;
    const bool complete = search.Run(
        OrderOf(p, images ? index / 2 : index), TotalOfOptimal(p, *best),
        kNodesPerRecord * n << round, frugal, budget);
    if (search.found()) {
      best->object_ids = search.object_ids();
      best->object_sizes = search.object_sizes();
    }
    if (complete && !frugal) return true;
    if (TotalOfOptimal(p, *best) <= goal) return false;
  }
  return false;
}

Result<Plan> PlanWith(const Problem& p, const Options& options) {
  if (p.records.empty()) return Plan();
  SearchBudget budget(options);
  Plan best = BestHeuristic(p, options);
  const int64_t goal = std::max(ObjectsLowerBound(p), options.capacity);
  // The search does not support steps that run in parallel.
  const bool search = options.may_follow == nullptr && options.capacity >= 0 &&
                      p.records.size() <= kMaxObjectRecords &&
                      TotalOfOptimal(p, best) > goal;
  const bool optimal = search && Improve(p, goal, &budget, &best);
  if (optimal) best.certificate.status = Certificate::kOptimal;
  if (!optimal && p.records[0].size.rank == 1 &&
      p.records.size() <= kMaxObjectRecords && TotalOfOptimal(p, best) > goal &&
      !budget.out_of_time()) {
    Offer(p, ObjectsMinCostFlow(p, options), &best);
  }
  best.certificate.nodes = budget.nodes();
  return best;
}

}  // namespace

Result<Plan> ObjectsOptimal(const Problem& p, const Options& options) {
  // Each node computes a bound over all pairs of records; this many take
  // seconds.
  constexpr int64_t kNodesTimesPairs = 1000000000;
  const int64_t n = std::max<int64_t>(p.records.size(), 1);
  return PlanWith(
      p, WithNodes(options, std::clamp<int64_t>(kNodesTimesPairs / (n * n),
                                                4000, 400000)));
}

Result<Plan> ObjectsAuto(const Problem& p, const Options& options) {
  return PlanWith(p, WithNodes(options, 2000));
}

}  // namespace mace::memory
