// Names of nodes that settings mention.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_MODEL_NODE_NAMES_H_
#define MACE_RUNTIME_MODEL_NODE_NAMES_H_

#include <string>
#include <vector>

#include "mace/base/status.h"
#include "mace/graph/graph.h"

namespace mace {

// Errors: MACE_INVALID_ARGS for a name that no node of the graph has; nodes of
// its subgraphs do not count.
Status CheckNodeNames(const Graph& graph,
                      const std::vector<std::string>& names);

}  // namespace mace

#endif  // MACE_RUNTIME_MODEL_NODE_NAMES_H_
