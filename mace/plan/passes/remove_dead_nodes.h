// RemoveDeadNodes: drops the nodes that no output of the graph needs.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_PASSES_REMOVE_DEAD_NODES_H_
#define MACE_PLAN_PASSES_REMOVE_DEAD_NODES_H_

#include "mace/graph/graph.h"

namespace mace {

// Removes the nodes whose outputs no output of the graph depends on. Keeps the
// order of the others, and all values, so that ids stay. REQUIRES: nodes are in
// an order of execution.
void RemoveDeadNodes(Graph& graph);

}  // namespace mace

#endif  // MACE_PLAN_PASSES_REMOVE_DEAD_NODES_H_
