// Improves the best heuristic plan by searches with less and less capacity.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/offsets/optimal.h"

#include <algorithm>
#include <limits>

#include "mace/base/components.h"
#include "mace/memory/offsets/greedy.h"
#include "mace/memory/offsets/search.h"
#include "mace/memory/offsets/search_orders.h"
#include "mace/memory/problem/bounds.h"

namespace mace::memory {
namespace {

// With more records, the sets of the search exceed the caches.
constexpr size_t kMaxRecords = 4096;

// How long to search with one capacity before trying another one.
struct Effort {
  int restarts;  // restarts of the portfolio per capacity
  int64_t
      nodes_percent;  // nodes of a restart, in per cent of the number of items
  int rounds;
  // Bisection ends when the rest is less than 1 / coarseness of the total.
  int64_t coarseness;
};
// Enough nodes for a descent that repairs some mistakes; in later rounds, ever
// more nodes for fewer restarts, so that proofs come to an end.
constexpr Effort kThorough = {SearchOrders::kNumOrders, 300, 20,
                              std::numeric_limits<int64_t>::max()};
// Hardly any backtracking.
constexpr Effort kSkyline = {3, 150, 1, 64};
constexpr int kRoundsOfAll = 2;
constexpr int kLateRestarts = 3;

int64_t EndOf(const Problem& p, const std::vector<int64_t>& offsets) {
  int64_t end = 0;
  for (size_t i = 0; i < offsets.size(); ++i) {
    end = std::max(end, offsets[i] + p.records[i].size.extent[0]);
  }
  return end;
}

// The best plan so far, and a lower bound.
class Incumbent {
 public:
  Incumbent(const Problem& p, const Options& options)
      : p_(p),
        capacity_(options.capacity),
        bound_(OffsetsLowerBound(p).bytes) {}

  void Offer(const std::vector<int64_t>& offsets) {
    const int64_t total = EndOf(p_, offsets);
    if (found_ && total >= total_) return;
    found_ = true;
    total_ = total;
    offsets_ = offsets;
  }
  void Offer(const Result<Plan>& plan) {
    if (plan.ok()) Offer(plan->offsets);
  }
  void RaiseBound(int64_t bound) { bound_ = std::max(bound_, bound); }

  // Returns whether no better plan can be found or is needed.
  bool Done() const {
    if (capacity_ > 0 && bound_ > capacity_) return true;
    return total_ <= std::max(bound_, capacity_);
  }
  int64_t total() const { return total_; }
  int64_t bound() const { return bound_; }

  Plan ToPlan(int64_t nodes) const {
    Plan plan;
    plan.offsets = offsets_;
    plan.certificate.lower_bound = std::min(bound_, total_);
    plan.certificate.nodes = nodes;
    return plan;
  }

 private:
  const Problem& p_;
  const int64_t capacity_;
  int64_t bound_;
  bool found_ = false;
  int64_t total_ = 0;
  std::vector<int64_t> offsets_;
};

// Searches with the portfolio, with one capacity after another. T is that of
// Search.
template <typename T>
class Descent {
 public:
  Descent(const Problem& p, const SearchInstance& in, SearchBudget* budget,
          Incumbent* best)
      : p_(p),
        in_(in),
        budget_(budget),
        best_(best),
        search_(in),
        orders_(in) {}

  void Fit(int64_t capacity, const Effort& effort) {
    for (int round = 0; round < effort.rounds; ++round) {
      if (best_->Done() || budget_->spent()) return;
      if (Try(capacity / in_.unit, effort, round) != SearchResult::kGaveUp)
        return;
    }
  }

  // Bisects the capacity. A thorough search first tries the bound itself,
  // because a tight capacity prunes best.
  void Minimize(const Effort& effort) {
    for (int round = 0; round < effort.rounds; ++round) {
      // Not reached in this round, though perhaps not proven unreachable.
      int64_t unreached = LeastUnits() - 1;
      bool at_bound = effort.rounds > 1;
      while (!best_->Done() && !budget_->spent()) {
        const int64_t gap = MostUnits() - unreached;
        if (gap <= MostUnits() / effort.coarseness) break;
        const int64_t next = unreached + (at_bound ? 1 : (gap + 1) / 2);
        at_bound = false;
        const SearchResult result = Try(next, effort, round);
        if (result == SearchResult::kInfeasible && in_.narrowed) return;
        if (result != SearchResult::kFound) unreached = next;
        unreached = std::max(unreached, LeastUnits() - 1);
      }
    }
  }

 private:
  // The range of capacities between the bound and the best plan, in units.
  int64_t LeastUnits() const {
    return (best_->bound() + in_.unit - 1) / in_.unit;
  }
  int64_t MostUnits() const { return (best_->total() - 1) / in_.unit; }

  SearchResult Try(int64_t capacity, const Effort& effort, int round) {
    const auto n = static_cast<int64_t>(in_.items.size());
    const bool late = round >= kRoundsOfAll;
    const int64_t nodes = (n * effort.nodes_percent / 100 + 1)
                          << (late ? 2 * round - 1 : round);
    const int restarts = late ? kLateRestarts : effort.restarts;
    for (int i = 0; i < restarts && !budget_->spent(); ++i) {
      const SearchOrder order = orders_.Get(round * effort.restarts + i);
      const SearchResult result =
          search_.Run(capacity, order.focus, order.rank, nodes, budget_);
      if (result == SearchResult::kFound) Offer();
      // With narrowed overlaps, failure is not a proof.
      if (result == SearchResult::kInfeasible && !in_.narrowed) {
        best_->RaiseBound((capacity + 1) * in_.unit);
      }
      if (result != SearchResult::kGaveUp) return result;
    }
    return SearchResult::kGaveUp;
  }

  void Offer() {
    std::vector<int64_t> offsets;
    for (const Record& r : p_.records) offsets.push_back(r.fixed_offset);
    for (size_t i = 0; i < in_.items.size(); ++i) {
      offsets[in_.items[i].record] = search_.offsets()[i] * in_.unit;
    }
    best_->Offer(offsets);
  }

  const Problem& p_;
  const SearchInstance& in_;
  SearchBudget* const budget_;
  Incumbent* const best_;
  Search<T> search_;
  SearchOrders orders_;
};

template <typename T>
void DescendAs(const Problem& p, const SearchInstance& in, bool thorough,
               int64_t capacity, SearchBudget* budget, Incumbent* best) {
  Descent<T> descent(p, in, budget, best);
  if (capacity > 0) {
    descent.Fit(capacity, thorough ? kThorough : kSkyline);
  } else {
    descent.Minimize(kSkyline);
    if (thorough) descent.Minimize(kThorough);
  }
}

// Improves `best` until it is done or the budget ends.
void Descend(const Problem& p, bool thorough, int64_t capacity,
             SearchBudget* budget, Incumbent* best) {
  if (!kHasMemoryTools || best->Done() || p.records.size() > kMaxRecords)
    return;
  const SearchInstance in = MakeSearchInstance(p);
  if (in.items.empty()) return;
  // Every record ends at a whole number of units.
  best->RaiseBound((best->bound() + in.unit - 1) / in.unit * in.unit);
  const int64_t units = std::max(best->total(), capacity) / in.unit + 1;
  if (units <= Search<int16_t>::MaxCapacity()) {
    DescendAs<int16_t>(p, in, thorough, capacity, budget, best);
  } else if (units <= Search<int32_t>::MaxCapacity()) {
    DescendAs<int32_t>(p, in, thorough, capacity, budget, best);
  }
}

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
  if (!best->Done() && !AnyFixed(p)) best->Offer(OffsetsArena(p, options));
}

Result<Plan> PlanWith(const Problem& p, const Options& options, bool thorough) {
  SearchBudget budget(options);
  Incumbent best(p, options);
  OfferHeuristics(p, options, &best);
  Descend(p, thorough, options.capacity, &budget, &best);
  return best.ToPlan(budget.nodes());
}

// Returns `options` with `own` as the default number of nodes.
Options WithNodes(const Options& options, int64_t own) {
  Options limited = options;
  if (options.max_nodes == Options::kOwnLimit) limited.max_nodes = own;
  return limited;
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
