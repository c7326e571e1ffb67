// Chooses nodes, and makes converted copies of values and the casts between.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/passes/narrow_to_fp16.h"

#include <utility>
#include <vector>

#include "mace/base/search.h"
#include "mace/plan/min_cut/move_costs.h"

namespace mace {
namespace {

bool IsF32Activation(const Value& value) {
  return value.type.dtype == DataType::kF32 && !value.is_constant();
}

bool HasFp16Weight(const Node& node) {
  return AnyOf(node.inputs,
               [](const Operand& o) { return o.stored == DataType::kF16; });
}

// Returns, by node, whether its activations become f16; empty if there are
// none.
std::vector<bool> ChooseNodes(
    const std::function<bool(const Node&)>& computes_fp16, const Graph& graph) {
  MinCut cut(CutVertexOf(graph.nodes.size()));
  bool any = false;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n].node;
    if (!computes_fp16(node)) {
      cut.AddEdge(CutVertexOf(n), kCutSink, MinCut::kInfinite);
    } else if (HasFp16Weight(node)) {
      cut.AddEdge(kCutSource, CutVertexOf(n), MinCut::kInfinite);
      any = true;
    }
  }
  if (!any) return {};
  AddMoveCosts(
      graph,
      [](const Value& value) {
        return IsF32Activation(value)
                   ? static_cast<double>(NumElements(value.type.shape))
                   : 0.;
      },
      &cut);
  const std::vector<bool> side = cut.SourceSide(kCutSource, kCutSink);
  std::vector<bool> chosen;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    chosen.push_back(side[CutVertexOf(n)]);
  }
  return chosen;
}

class Narrower {
 public:
  explicit Narrower(Graph& graph)
      : graph_(graph),
        fp16_of_(graph.values.size(), -1),
        is_made_(graph.values.size(), true) {}

  void Narrow(const std::vector<bool>& chosen) {
    std::vector<GraphNode> nodes = std::move(graph_.nodes);
    graph_.nodes.clear();
    for (size_t n = 0; n < nodes.size(); ++n) {
      if (chosen[n]) {
        UseFp16(nodes[n]);
      } else if (IsCast(nodes[n], DataType::kF16, DataType::kF32)) {
        // The fp16 copy of its result is its input.
        fp16_of_[nodes[n].outputs[0]] = nodes[n].inputs[0];
      } else if (IsCast(nodes[n], DataType::kF32, DataType::kF16) &&
                 fp16_of_[nodes[n].inputs[0]] >= 0) {
        BecomeIdentity(nodes[n]);
      } else {
        for (int id : nodes[n].inputs) NeedFloats(id);
      }
      graph_.nodes.push_back(std::move(nodes[n]));
    }
    for (int id : graph_.outputs) NeedFloats(id);
  }

 private:
  void UseFp16(GraphNode& g) {
    for (size_t i = 0; i < g.inputs.size(); ++i) {
      const int id = g.inputs[i];
      if (id < 0 || !IsF32Activation(graph_.values[id])) continue;
      if (fp16_of_[id] < 0) AddCast(id, AddFp16(id));
      g.inputs[i] = fp16_of_[id];
      g.node.inputs[i].type.dtype = DataType::kF16;
    }
    for (size_t i = 0; i < g.outputs.size(); ++i) {
      const int id = g.outputs[i];
      if (!IsF32Activation(graph_.values[id])) continue;
      is_made_[id] = false;
      g.outputs[i] = AddFp16(id);
      g.node.outputs[i].dtype = DataType::kF16;
    }
  }

  static bool IsCast(const GraphNode& g, DataType from, DataType to) {
    return g.node.op == "Cast" && g.node.inputs[0].type.dtype == from &&
           g.node.outputs[0].dtype == to;
  }

  // Turns a cast to f16 of a value that has an fp16 copy into an identity.
  void BecomeIdentity(GraphNode& g) {
    g.inputs[0] = fp16_of_[g.inputs[0]];
    g.node.op = "Identity";
    g.node.attrs.clear();
    g.node.inputs[0] = {graph_.values[g.inputs[0]].type, nullptr, -1};
  }

  int AddFp16(int id) {
    Value copy;
    copy.name = graph_.values[id].name;
    copy.type = graph_.values[id].type;
    copy.type.dtype = DataType::kF16;
    fp16_of_[id] = static_cast<int>(graph_.values.size());
    graph_.values.push_back(std::move(copy));
    return fp16_of_[id];
  }

  void NeedFloats(int id) {
    if (id < 0 || is_made_[id]) return;
    is_made_[id] = true;
    AddCast(fp16_of_[id], id);
  }

  void AddCast(int from, int to) {
    GraphNode g;
    g.node.name = graph_.values[from].name;
    g.node.op = "Cast";
    g.node.inputs.push_back({graph_.values[from].type, nullptr, -1});
    g.node.outputs.push_back(graph_.values[to].type);
    g.inputs = {from};
    g.outputs = {to};
    graph_.nodes.push_back(std::move(g));
  }

  Graph& graph_;
  std::vector<int> fp16_of_;   // by value: its fp16 copy, or -1
  std::vector<bool> is_made_;  // by value: whether the value itself (not only
                               // its copy) is computed
};

}  // namespace

void NarrowToFp16(const std::function<bool(const Node&)>& computes_fp16,
                  Graph& graph) {
  const std::vector<bool> chosen = ChooseNodes(computes_fp16, graph);
  if (!chosen.empty()) Narrower(graph).Narrow(chosen);
}

}  // namespace mace
