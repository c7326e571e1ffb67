// SearchBudget: decides when a search must stop.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_PROBLEM_SEARCH_BUDGET_H_
#define MACE_MEMORY_PROBLEM_SEARCH_BUDGET_H_

#include <chrono>
#include <cstdint>

#include "mace/base/cancellation.h"
#include "mace/memory/problem/problem.h"

namespace mace::memory {

// Returns `options` with `own` as the default number of nodes.
inline Options WithNodes(const Options& options, int64_t own) {
  Options limited = options;
  if (options.max_nodes == Options::kOwnLimit) limited.max_nodes = own;
  return limited;
}

// Counts nodes. Checks the time, Options::cancel and the Cancellation of this
// thread at every 16th node. For use by one thread.
class SearchBudget {
 public:
  explicit SearchBudget(const Options& options)
      : max_nodes_(options.max_nodes), cancel_(options.cancel) {
    if (options.budget_us > 0) {
      timed_ = true;
      deadline_ = Clock::now() + std::chrono::microseconds(options.budget_us);
    }
  }

  // Counts a node. Returns false once the budget is spent, and from then on.
  bool Spend() {
    ++nodes_;
    if (max_nodes_ > 0 && nodes_ >= max_nodes_) spent_ = true;
    if (nodes_ % kNodesPerLook == 0) Look();
    return !spent_;
  }

  // Returns whether nodes or time are used up or the search was cancelled. It
  // looks at the clock, so do not call it in inner loops.
  bool spent() {
    if (!spent_) Look();
    return spent_;
  }
  // Returns whether time has run out or the search was cancelled.
  bool out_of_time() {
    Look();
    return stopped_;
  }
  int64_t nodes() const { return nodes_; }

 private:
  using Clock = std::chrono::steady_clock;
  // A node takes from a quarter of a microsecond to several, a check 30 ns.
  static constexpr int64_t kNodesPerLook = 16;

  void Look() {
    if (cancel_ != nullptr && cancel_->load(std::memory_order_relaxed)) {
      stopped_ = true;
    }
    if (timed_ && Clock::now() >= deadline_) stopped_ = true;
    // The caller then drops the plan.
    if (Cancellation::CurrentIsCancelled()) stopped_ = true;
    spent_ |= stopped_;
  }

  const int64_t max_nodes_;
  const std::atomic<bool>* const cancel_;
  bool timed_ = false;
  bool spent_ = false;
  bool stopped_ = false;
  Clock::time_point deadline_;
  int64_t nodes_ = 0;
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_PROBLEM_SEARCH_BUDGET_H_
