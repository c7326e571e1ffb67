// OrderProblem: steps that may run in several orders, as plain numbers, and
// lower bounds of the memory that every order needs.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_MEMORY_ORDER_PROBLEM_H_
#define MACE_PLAN_MEMORY_ORDER_PROBLEM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mace/base/cancellation.h"

namespace mace {

// Steps and the values between them, in a valid order: a step reads what
// earlier steps write, or what no step writes. A value is live from the step
// that writes it to the last step that reads it. A step needs its scratch and
// what it writes, besides the live values; what nothing reads is live during
// its step only.
struct OrderProblem {
  std::vector<std::vector<int>> reads;   // by step: values, each once
  std::vector<std::vector<int>> writes;  // by step: values
  std::vector<int64_t> scratch;          // by step: bytes while it runs
  std::vector<int64_t> bytes;            // by value; 0 if no step writes it

  size_t num_steps() const { return reads.size(); }
};

// A budget of work, in units of about one look at a step or a value. Work is
// counted, not timed, so that the same problem has the same answer everywhere.
class WorkBudget {
 public:
  explicit WorkBudget(int64_t units) : units_(units) {}

  // Adds to the work done. Returns false once the work exceeds the budget, or
  // if the run of this thread is cancelled, which spends the budget.
  bool Spend(int64_t units) {
    spent_ += units;
    if (Cancellation::CurrentIsCancelled()) spent_ = units_ + 1;
    return spent_ <= units_;
  }
  bool is_spent() const { return spent_ >= units_; }
  int64_t left() const { return is_spent() ? 0 : units_ - spent_; }
  int64_t spent() const { return spent_; }

 private:
  int64_t units_;
  int64_t spent_ = 0;
};

// Properties of an OrderProblem that hold for any order. Keeps a reference to
// the problem.
struct OrderGraph {
  explicit OrderGraph(const OrderProblem& problem);

  const OrderProblem& problem;
  std::vector<int> writer;                // by value: a step, or -1
  std::vector<std::vector<int>> readers;  // by value: steps, ascending
  std::vector<std::vector<int>> before;   // by step: its producers, each once
  std::vector<std::vector<int>> after;    // by step: its consumers, each once
  std::vector<int64_t> written;           // by step: bytes of what it writes
};

// The bytes that one order needs at each position.
struct OrderTrace {
  std::vector<int64_t> live;  // before each position, and after the last one
  std::vector<int64_t> need;  // by position: with what is written, and scratch

  int64_t Peak(size_t begin, size_t end) const;  // of positions [begin, end)
};
// Returns the bytes that `order` needs. REQUIRES: it is a permutation of the
// steps in which each runs after those that it needs.
OrderTrace Trace(const OrderGraph& graph, const std::vector<int>& order);

// Steps [begin, end), before and after which the same steps run in every order.
struct OrderSegment {
  int begin = 0;
  int end = 0;
};

// Returns the segments between those steps that come before or after every
// other step. Such steps have the same position in all orders, so segments are
// independent problems. Segments of a single step are left out.
std::vector<OrderSegment> Segments(const OrderGraph& graph);

// Returns the bytes that the step with the largest need takes in every order:
// for what it reads and writes, and its scratch.
int64_t StepBound(const OrderGraph& graph);

// As StepBound for the steps of a segment, but counts all values that are live
// in every order: written before the step and read after it, where 'before' and
// 'after' hold in every order. Returns 0 if that would take more than
// `most_work` or than `budget` has left, or if the segment is too long.
int64_t ForcedBound(const OrderGraph& graph, const OrderSegment& segment,
                    int64_t most_work, WorkBudget* budget);

}  // namespace mace

#endif  // MACE_PLAN_MEMORY_ORDER_PROBLEM_H_
