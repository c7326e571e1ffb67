// Cutting a graph where it waits for data, and choosing branches.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_STAGES_CONTROL_FLOW_H_
#define MACE_PLAN_STAGES_CONTROL_FLOW_H_

#include <cstdint>
#include <vector>

#include "mace/base/status.h"
#include "mace/graph/graph.h"
#include "mace/plan/types/deferred_subgraph.h"

namespace mace {

// Fills in the inputs of deferred.graph and `shape_determining`, from its
// nodes. Removes nodes and outputs that are not needed or not made there.
void CompleteDeferred(DeferredSubgraph& deferred);

// Returns the subgraph that an attribute of the node names; null if it names
// none of graph.subgraphs.
const Graph* SubgraphOf(const Graph& graph, const Node& node,
                        const char* attribute);

// Limits what the branches that are taken may add to a graph, in proportion to
// the values and nodes of the model (a small model may add a fixed number):
// branches within branches could make a small file grow exponentially. Counts
// nodes and values, those with long names several times, because each level of
// nesting makes names longer.
class BranchBudget {
 public:
  explicit BranchBudget(const Graph& graph);

  // Takes what a branch of `g` adds. Errors: MACE_INVALID_MODEL, naming `g`.
  Status Take(const GraphNode& g, const Graph& branch);

 private:
  int64_t most_, left_;
};

// Returns the nodes of the branch that an If with this condition takes, which
// read the If's inputs and make its outputs; adds their other values to
// `graph`. Outputs of the branch that are constants become constants of
// `graph`. Errors: MACE_INVALID_MODEL, naming the node.
Result<std::vector<GraphNode>> TakeBranch(const GraphNode& g, bool condition,
                                          Graph& graph, BranchBudget& budget);

// Returns the number of values that a Loop carries from one iteration to the
// next, which its attribute `carried` gives (0 without the attribute, -1 if it
// is no integer); CheckLoop checks it. A Loop has the inputs (count, condition,
// carried values..., values that stay) and the outputs (carried values...,
// values of each iteration).
int64_t CarriedBy(const Node& loop);

// Checks the body of a Loop and its numbers of inputs and outputs. The body
// takes as many inputs as the node; its outputs are the condition and those of
// the node. Errors: MACE_INVALID_MODEL, naming the node.
Status CheckLoop(const Graph& graph, const GraphNode& g);

}  // namespace mace

#endif  // MACE_PLAN_STAGES_CONTROL_FLOW_H_
