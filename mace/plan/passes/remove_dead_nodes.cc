// Removes dead nodes, which it finds from the outputs backwards.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/passes/remove_dead_nodes.h"

#include <algorithm>

#include "mace/base/search.h"

namespace mace {

void RemoveDeadNodes(Graph& graph) {
  std::vector<uint8_t> needed(graph.values.size());
  for (int id : graph.outputs) needed[id] = true;
  std::vector<GraphNode> kept;
  for (auto g = graph.nodes.rbegin(); g != graph.nodes.rend(); ++g) {
    const bool alive = AnyOf(g->outputs, [&](int id) { return needed[id]; });
    if (!alive) continue;
    for (int id : g->inputs) {
      if (id >= 0) needed[id] = true;
    }
    kept.push_back(std::move(*g));
  }
  std::reverse(kept.begin(), kept.end());
  graph.nodes = std::move(kept);
}

}  // namespace mace
