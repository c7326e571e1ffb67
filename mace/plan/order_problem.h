// OrderProblem: steps that may run in several orders, as plain numbers, with
// lower bounds of the memory that every order needs.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_ORDER_PROBLEM_H_
#define MACE_PLAN_ORDER_PROBLEM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mace {

// Steps and the values between them, in an order that is possible: a step reads
// what steps before it write, or what no step writes.
struct OrderProblem {
  std::vector<std::vector<int>> reads;   // by step: values, each once
  std::vector<std::vector<int>> writes;  // by step: values
  std::vector<int64_t> scratch;          // by step: bytes while it runs
  std::vector<int64_t> bytes;            // by value; 0 if no step writes it

  size_t num_steps() const { return reads.size(); }
};

// Work that may be done, in units of about one look at a step or a value. It is
// counted, not timed, so that the same problem has the same answer everywhere.
class WorkBudget {
 public:
  explicit WorkBudget(int64_t units) : units_(units) {}

  // False once the budget is used up.
  bool Spend(int64_t units) {
    spent_ += units;
    return spent_ <= units_;
  }
  bool is_spent() const { return spent_ >= units_; }
  int64_t left() const { return is_spent() ? 0 : units_ - spent_; }
  int64_t spent() const { return spent_; }

 private:
  int64_t units_;
  int64_t spent_ = 0;
};

// What follows from an OrderProblem whatever the order. Keeps a reference.
struct OrderGraph {
  explicit OrderGraph(const OrderProblem& problem);

  const OrderProblem& problem;
  std::vector<int> writer;                // by value: a step, or -1
  std::vector<std::vector<int>> readers;  // by value: steps, ascending
  std::vector<std::vector<int>> before;   // by step: those it needs, each once
  std::vector<std::vector<int>> after;    // by step: those that need it
  std::vector<int64_t> written;           // by step: bytes of what it writes
};

// The bytes of one order.
struct OrderTrace {
  std::vector<int64_t> live;  // before each position, and after the last one
  std::vector<int64_t> need;  // by position: with what is written, and scratch

  int64_t Peak(size_t begin, size_t end) const;  // of positions [begin, end)
};
OrderTrace Trace(const OrderGraph& graph, const std::vector<int>& order);

// Steps [begin, end), which every order runs between the same steps.
struct OrderSegment {
  int begin = 0;
  int end = 0;
};

// The runs of steps between those that every other step comes before or after.
// Such steps have the same place in all orders, so that segments are problems
// of their own; those of a single step are left out.
std::vector<OrderSegment> Segments(const OrderGraph& graph);

// Bytes that some step needs in any order: what it reads, writes and has as
// scratch.
int64_t StepBound(const OrderGraph& graph);

// As StepBound for the steps of a segment, but with all values that are live
// whatever the order: written before the step and read after it, where 'before'
// and 'after' are those of every order. 0 if that would take more than
// `most_work`.
int64_t ForcedBound(const OrderGraph& graph, const OrderSegment& segment,
                    int64_t most_work, WorkBudget* budget);

}  // namespace mace

#endif  // MACE_PLAN_ORDER_PROBLEM_H_
