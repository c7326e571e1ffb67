// Searches with less and less capacity.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>

#include "mace/memory/offsets/incumbent.h"
#include "mace/memory/offsets/search.h"
#include "mace/memory/offsets/search_orders.h"

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

}  // namespace

void Descend(const Problem& p, bool thorough, int64_t capacity,
             SearchBudget* budget, Incumbent* best) {
  if (best->Done() || p.records.size() > kMaxRecords) return;
  const SearchInstance in = MakeSearchInstance(p);
  if (in.items.empty()) return;
  // A dive saves a set of items for each pair that is alive together.
  constexpr int64_t kMaxSavedBytes = int64_t{256} << 20;
  int64_t pairs = 0;
  for (const auto& item : in.items) {
    pairs += static_cast<int64_t>(item.neighbours.size()) / 2;
  }
  if (pairs * static_cast<int64_t>(in.items.size() / 8 + 8) > kMaxSavedBytes) {
    return;
  }
  // Every record ends at a whole number of units.
  best->RaiseBound((best->bound() + in.unit - 1) / in.unit * in.unit);
  const int64_t units = std::max(best->total(), capacity) / in.unit + 1;
  if (units <= Search<int16_t>::MaxCapacity()) {
    DescendAs<int16_t>(p, in, thorough, capacity, budget, best);
  } else if (units <= Search<int32_t>::MaxCapacity()) {
    DescendAs<int32_t>(p, in, thorough, capacity, budget, best);
  }
}

}  // namespace mace::memory
