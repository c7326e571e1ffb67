// Incumbent: the best plan that a search of offsets has so far.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_OFFSETS_INCUMBENT_H_
#define MACE_MEMORY_OFFSETS_INCUMBENT_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mace/memory/offsets/search.h"
#include "mace/memory/problem/bounds.h"
#include "mace/memory/problem/planner.h"

namespace mace::memory {

// The best plan so far, and the bytes that no plan can undercut. The search is
// done if the plan meets this bound or fits the capacity, or if the bound
// proves that no plan fits.
class Incumbent {
 public:
  // REQUIRES: `p` is reduced, and outlives this object.
  Incumbent(const Problem& p, const Options& options)
      : p_(p),
        capacity_(options.capacity),
        bound_(OffsetsLowerBound(p).bytes) {}

  // Keeps the offsets, which must be valid, if they take fewer bytes than the
  // best plan.
  void Offer(const std::vector<int64_t>& offsets) {
    const int64_t total = End(offsets);
    if (found_ && total >= total_) return;
    found_ = true;
    total_ = total;
    offsets_ = offsets;
  }
  void Offer(const Result<Plan>& plan) {
    if (plan.ok()) Offer(plan->offsets);
  }
  // REQUIRES: it is proven that no plan takes less than `bound` bytes.
  void RaiseBound(int64_t bound) { bound_ = std::max(bound_, bound); }

  // Returns whether no better plan can be found or is needed. REQUIRES: a plan
  // was offered.
  bool Done() const {
    if (capacity_ > 0 && bound_ > capacity_) return true;
    return total_ <= std::max(bound_, capacity_);
  }
  int64_t total() const { return total_; }
  int64_t bound() const { return bound_; }

  // Returns the best plan with the bound and `nodes`; Solve completes the
  // certificate.
  Plan ToPlan(int64_t nodes) const {
    Plan plan;
    plan.offsets = offsets_;
    plan.certificate.lower_bound = std::min(bound_, total_);
    plan.certificate.nodes = nodes;
    return plan;
  }

 private:
  int64_t End(const std::vector<int64_t>& offsets) const {
    int64_t end = 0;
    for (size_t i = 0; i < offsets.size(); ++i) {
      end = std::max(end, offsets[i] + p_.records[i].size.extent[0]);
    }
    return end;
  }

  const Problem& p_;
  const int64_t capacity_;
  int64_t bound_;
  bool found_ = false;
  int64_t total_ = 0;
  std::vector<int64_t> offsets_;
};

// Improves `best` until it is done, or the budget or the last restart ends:
// bisects the capacity, or, if `capacity` is above 0, only looks for a plan of
// at most `capacity` bytes. If not `thorough`, hardly backtracks, and proves
// little. REQUIRES: `best` has a plan. Does not search with more than 4096
// records, with a total or a capacity of 2^29 - 2 units or more, or in a
// library without the component `memory_tools`.
void Descend(const Problem& p, bool thorough, int64_t capacity,
             SearchBudget* budget, Incumbent* best);

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_INCUMBENT_H_
