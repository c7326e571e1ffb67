// LoopResults: what the iterations of a Loop make, stacked along a new axis.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_CONTROL_FLOW_LOOP_RESULTS_H_
#define MACE_RUNTIME_CONTROL_FLOW_LOOP_RESULTS_H_

#include <vector>

#include "mace/runtime/control_flow/control_flow_executor.h"

namespace mace {

// A result of shape [a, b] in each of n iterations becomes [n, a, b]. The
// buffer doubles when it is full, as the number of iterations is not known
// ahead. Errors of all functions: MACE_INVALID_MODEL, naming the node and the
// output; MACE_OUT_OF_RESOURCES.
class LoopResults {
 public:
  // `g` is the Loop, which must outlive this; it has `n` such results.
  LoopResults(const GraphNode& g, size_t n) : g_(g), results_(n) {}

  bool empty() const { return results_.empty(); }

  // Adds what an iteration made: the outputs of `body` from `first` on.
  Status Add(const Graph& body, const LiveValues& values, size_t first);
  // For a loop without an iteration: takes the types from a plan of the body.
  Status AddNone(const Plan& plan, const Graph& body, const LiveValues& inputs,
                 size_t first);
  // Stores the stacked results as the outputs of the node from `first` on. Call
  // this last: it moves the results away.
  Status Finish(size_t first, LiveValues& values);

 private:
  struct Stacked {
    TensorType type;  // of one iteration
    AlignedBuffer bytes;
    int64_t count = 0;  // iterations
  };

  const GraphNode& g_;
  std::vector<Stacked> results_;
};

}  // namespace mace

#endif  // MACE_RUNTIME_CONTROL_FLOW_LOOP_RESULTS_H_
