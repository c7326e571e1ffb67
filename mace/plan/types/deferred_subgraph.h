// DeferredSubgraph: the nodes that a plan leaves to later ones, because they
// depend on data.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_TYPES_DEFERRED_SUBGRAPH_H_
#define MACE_PLAN_TYPES_DEFERRED_SUBGRAPH_H_

#include <string>
#include <vector>

#include "mace/graph/graph.h"

namespace mace {

// A node that no plan can hold before an input of it is known.
struct DataDependency {
  std::string node;   // its label
  std::string input;  // the name of the value; of a Loop, empty
};

// What is planned when the steps before it have run. Its values have the ids
// that they have in the plan before.
struct DeferredSubgraph {
  // Its inputs are values that these nodes read and that the plan before makes
  // or reads as an input. Its outputs are those of the model that these nodes
  // make.
  Graph graph;
  // Those inputs of `graph` of which the next plan must know the contents,
  // ascending.
  std::vector<int> shape_determining;
  std::vector<DataDependency> dependencies;
};

}  // namespace mace

#endif  // MACE_PLAN_TYPES_DEFERRED_SUBGRAPH_H_
