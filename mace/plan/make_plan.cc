// Makes a plan from a graph, stage by stage.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/make_plan.h"

#include "mace/base/cancellation.h"
#include "mace/base/cpu_rows.h"
#include "mace/memory/strategy.h"
#include "mace/ops/common/op.h"
#include "mace/plan/memory/assign_images.h"
#include "mace/plan/memory/assign_memory.h"
#include "mace/plan/memory/memory_strategies.h"
#include "mace/plan/passes/form_regions.h"
#include "mace/plan/passes/fuse_nodes.h"
#include "mace/plan/passes/narrow_to_fp16.h"
#include "mace/plan/passes/read_from_kv_cache.h"
#include "mace/plan/passes/remove_dead_nodes.h"
#include "mace/plan/stages/infer.h"
#include "mace/plan/stages/layout.h"
#include "mace/plan/stages/place.h"
#include "mace/plan/types/one_device.h"
#include "mace/plan/types/plan_switches.h"

namespace mace {
namespace {

Status CheckDeclared(const Graph& graph,
                     const std::map<int, TensorType>& declared) {
  for (const GraphNode& g : graph.nodes) {
    for (int id : g.outputs) {
      const auto it = declared.find(id);
      if (it != declared.end() && !(it->second == graph.values[id].type)) {
        return InvalidModel(Label(g.node), ": the file says that '",
                            graph.values[id].name, "' is ",
                            ToString(it->second), ", it is ",
                            ToString(graph.values[id].type));
      }
    }
  }
  return Status();
}

}  // namespace

Result<std::unique_ptr<Plan>> MakePlan(
    Graph graph, const std::map<int, TensorType>& declared,
    const PlanOptions& options) {
  MACE_ENSURE(!options.devices.empty() &&
              options.devices.back()->kernels() != nullptr);
  MACE_ENSURE(!kOneDevice || options.devices.size() == 1);
  MACE_RETURN_IF_ERROR(CheckMemoryStrategy(options.memory_strategy));
  NodeKernels& folder = *options.devices.back()->kernels();
  auto plan = std::make_unique<Plan>();
  plan->graph = std::move(graph);
  MACE_RETURN_IF_ERROR(Cancellation::CheckPlan());
  RemoveDeadNodes(plan->graph);
  MACE_RETURN_IF_ERROR(InferGraph(plan->graph, folder, &plan->deferred));
  MACE_RETURN_IF_ERROR(Cancellation::CheckPlan());
  MACE_RETURN_IF_ERROR(CheckDeclared(plan->graph, declared));
  RemoveDeadNodes(plan->graph);
  const PlanSwitches switches = CurrentPlanSwitches();
  if (switches.kv_cache) {
    ReadFromKvCache(FindOp("Slice") != nullptr, plan->graph);
  }

  // If several devices share a plan, tensors that move between them stay f32.
  if (kHas16BitKernels && options.devices.size() == 1 && switches.fp16) {
    NarrowToFp16(
        [&folder](const Node& node) { return folder.ComputesFp16(node); },
        plan->graph);
    RemoveDeadNodes(plan->graph);  // casts whose readers now take fp16
  }
  MACE_RETURN_IF_ERROR(PlaceNodes(*plan, options.devices));
  // PRESERVE_ALL also keeps the tensors between nodes that could be fused.
  const bool keeps_all = options.memory_strategy == memory::kPreserveAll;
  if (!kOneDevice) {
    MACE_RETURN_IF_ERROR(
        FormRegions(*plan, keeps_all, *options.devices.back()));
  }
  if (!keeps_all && switches.fusion) MACE_RETURN_IF_ERROR(FuseNodes(*plan));
  if (!kOneDevice) MACE_RETURN_IF_ERROR(InsertConverts(*plan));
  MACE_RETURN_IF_ERROR(AssignMemory(*plan, options));
  if (!kOneDevice) MACE_RETURN_IF_ERROR(AssignImages(*plan, options));
  for (Device* device : options.devices) {
    if (device->kernels() == nullptr) continue;
    MACE_RETURN_IF_ERROR(device->kernels()->FinishPrepare());
  }
  return plan;
}

}  // namespace mace
