// Deferring nodes, and choosing branches.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/stages/deferral.h"

#include <algorithm>
#include <utility>

#include "mace/base/search.h"
#include "mace/plan/stages/control_flow.h"

namespace mace {

bool Deferral::Reads(const GraphNode& g) const {
  return !is_deferred_.empty() &&
         AnyOf(g.inputs, [&](int id) { return id >= 0 && is_deferred(id); });
}

void Deferral::Add(GraphNode& g) {
  g.node.inputs.clear();
  is_deferred_.resize(graph_.values.size());
  for (int id : g.outputs) is_deferred_[id] = true;
  if (*deferred_ == nullptr) *deferred_ = std::make_unique<DeferredSubgraph>();
  (*deferred_)->graph.nodes.push_back(std::move(g));
}

void Deferral::DeferFor(GraphNode& g, int input) {
  DataDependency dependency = {Label(g.node), ""};
  if (input >= 0) dependency.input = graph_.values[g.inputs[input]].name;
  Add(g);
  (*deferred_)->dependencies.push_back(std::move(dependency));
}

Status Deferral::AddFor(GraphNode& g, int input) {
  DeferFor(g, input);
  return Status();
}

Result<std::vector<GraphNode>> Deferral::AddControlFlow(GraphNode& g) {
  if (g.node.op == "Loop") {
    MACE_RETURN_IF_ERROR(CheckLoop(graph_, g));
    DeferFor(g, -1);
    return std::vector<GraphNode>();
  }
  if (g.inputs.empty() || g.inputs[0] < 0) {
    return InvalidModel(Label(g.node), ": has no condition");
  }
  const Value& condition = graph_.values[g.inputs[0]];
  if (condition.type.dtype != DataType::kBool ||
      NumElements(condition.type.shape) != 1) {
    return InvalidModel(Label(g.node), ": its condition '", condition.name,
                        "' is ", ToString(condition.type),
                        ", it must be one bool");
  }
  if (!condition.is_constant()) {
    DeferFor(g, 0);
    return std::vector<GraphNode>();
  }
  const bool value = *static_cast<const uint8_t*>(condition.data) != 0;
  if (!budget_) budget_.emplace(graph_);
  return TakeBranch(g, value, graph_, *budget_);
}

void Deferral::Finish() {
  if (deferred_ == nullptr || *deferred_ == nullptr) return;
  DeferredSubgraph& deferred = **deferred_;
  deferred.graph.name = graph_.name;
  deferred.graph.subgraphs = graph_.subgraphs;
  deferred.graph.values = graph_.values;
  deferred.graph.outputs = graph_.outputs;
  CompleteDeferred(deferred);
  std::vector<int>& outputs = graph_.outputs;
  outputs.erase(std::remove_if(outputs.begin(), outputs.end(),
                               [&](int id) { return is_deferred(id); }),
                outputs.end());
  std::vector<uint8_t> is_there(graph_.values.size());
  for (int id : graph_.inputs) is_there[id] = true;
  for (int id : outputs) is_there[id] = true;
  for (int id : deferred.graph.inputs) {
    if (!is_there[id]) outputs.push_back(id);
  }
}

}  // namespace mace
