// The line from a graph to a plan.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/plan.h"

#include <algorithm>

#include "mace/plan/assign_memory.h"
#include "mace/plan/infer.h"
#include "mace/plan/passes/remove_dead_nodes.h"

namespace mace {
namespace {

Status CheckDeclared(const Graph& graph,
                     const std::map<int, TensorType>& declared) {
  for (const GraphNode& g : graph.nodes) {
    for (int id : g.outputs) {
      const auto it = declared.find(id);
      if (it != declared.end() && !(it->second == graph.values[id].type)) {
        return InvalidModel(Label(g.node) + ": the file says that '" +
                            graph.values[id].name + "' is " +
                            ToString(it->second) + ", it is " +
                            ToString(graph.values[id].type));
      }
    }
  }
  return Status();
}

// The first device that takes the node.
Status PlaceNode(const Node& node, const std::vector<Device*>& devices,
                 Step& step) {
  std::string reasons;
  for (Device* device : devices) {
    auto kernel = device->Prepare(node);
    if (kernel.ok()) {
      step.device = device;
      step.kernel = std::move(*kernel);
      return Status();
    }
    if (kernel.status() != Status::MACE_UNSUPPORTED) return kernel.status();
    reasons += (reasons.empty() ? "" : "; ") + kernel.status().information();
  }
  return Unsupported(reasons);
}

}  // namespace

Result<std::unique_ptr<Plan>> MakePlan(
    Graph graph, const std::map<int, TensorType>& declared,
    const PlanOptions& options) {
  MACE_ENSURE(!options.devices.empty());
  auto plan = std::make_unique<Plan>();
  plan->graph = std::move(graph);
  RemoveDeadNodes(plan->graph);
  MACE_RETURN_IF_ERROR(InferGraph(plan->graph, *options.devices.back()));
  MACE_RETURN_IF_ERROR(CheckDeclared(plan->graph, declared));
  RemoveDeadNodes(plan->graph);

  for (size_t n = 0; n < plan->graph.nodes.size(); ++n) {
    Step step;
    step.node = static_cast<int>(n);
    MACE_RETURN_IF_ERROR(
        PlaceNode(plan->graph.nodes[n].node, options.devices, step));
    plan->steps.push_back(std::move(step));
  }
  MACE_RETURN_IF_ERROR(AssignMemory(*plan, options));
  return plan;
}

}  // namespace mace
