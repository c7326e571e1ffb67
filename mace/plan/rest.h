// Rest: the nodes that a plan leaves to later ones, because they wait for data.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_REST_H_
#define MACE_PLAN_REST_H_

#include <memory>
#include <string>
#include <vector>

#include "mace/graph/graph.h"

namespace mace {

// A node that no plan can hold before an input of it is known.
struct Wait {
  std::string node;   // its label
  std::string input;  // the name of the value; of a Loop, empty
};

// What is planned when the steps before it have run. Its values have the ids
// that they have in the plan before.
struct Rest {
  // The inputs are what the nodes read of the plan before, or of its inputs.
  // The outputs are those of the model that these nodes make.
  Graph graph;
  // Those of its inputs of which the next plan must know the contents.
  std::vector<int> deciding;
  std::vector<Wait> waits;
};

// Fills in the inputs of rest.graph and `deciding`, from its nodes. Removes
// nodes and outputs that are not needed or not made there.
void CompleteRest(Rest& rest);

// The value of a subgraph attribute, or null. REQUIRES: graph.subgraphs is set
// if the node has one.
const Graph* SubgraphOf(const Graph& graph, const Node& node,
                        const char* attribute);

// Returns the nodes of the branch that an If with this condition takes, which
// read the If's inputs and make its outputs; their other values are added to
// `graph`. Errors: MACE_INVALID_MODEL, naming the node.
Result<std::vector<GraphNode>> TakeBranch(const GraphNode& g, bool condition,
                                          Graph& graph);

// The number of values that a Loop carries from one iteration to the next.
int64_t CarriedBy(const Node& loop);

// Checks the body of a Loop and its numbers of inputs and outputs. Errors:
// MACE_INVALID_MODEL, naming the node.
Status CheckLoop(const Graph& graph, const GraphNode& g);

}  // namespace mace

#endif  // MACE_PLAN_REST_H_
