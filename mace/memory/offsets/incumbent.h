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

// The best plan so far, and a lower bound.
class Incumbent {
 public:
  Incumbent(const Problem& p, const Options& options)
      : p_(p),
        capacity_(options.capacity),
        bound_(OffsetsLowerBound(p).bytes) {}

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

// Improves `best` until it is done or the budget ends; for `capacity`, if it is
// not 0. Does nothing in a library without the component `memory_tools`.
void Descend(const Problem& p, bool thorough, int64_t capacity,
             SearchBudget* budget, Incumbent* best);

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_INCUMBENT_H_
