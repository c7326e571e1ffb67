// Adds the edges for moving values.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/min_cut/move_costs.h"

#include <vector>

namespace mace {
namespace {

void AddValue(double cost, int producer, const std::vector<int>& readers,
              MinCut* cut) {
  // Down: paid once if the producer is on the source's side and any reader is
  // not.
  const int down = cut->AddVertex();
  cut->AddEdge(producer, down, cost);
  // Up: paid once if the producer is on the sink's side and any reader is on
  // the source's.
  const int up = cut->AddVertex();
  cut->AddEdge(up, producer, cost);
  for (int reader : readers) {
    cut->AddEdge(down, reader, MinCut::kInfinite);
    cut->AddEdge(reader, up, MinCut::kInfinite);
  }
}

}  // namespace

void AddMoveCosts(const Graph& graph,
                  const std::function<double(const Value&)>& cost,
                  MinCut* cut) {
  std::vector<int> producer(graph.values.size(), kCutSink);
  std::vector<std::vector<int>> readers(graph.values.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (int id : graph.nodes[n].outputs) producer[id] = CutVertexOf(n);
    for (int id : graph.nodes[n].inputs) {
      if (id >= 0 && !graph.values[id].is_constant()) {
        readers[id].push_back(CutVertexOf(n));
      }
    }
  }
  for (int id : graph.outputs) readers[id].push_back(kCutSink);
  for (size_t id = 0; id < readers.size(); ++id) {
    const double of_value = cost(graph.values[id]);
    if (readers[id].empty() || !(of_value > 0)) continue;
    AddValue(of_value, producer[id], readers[id], cut);
  }
}

}  // namespace mace
