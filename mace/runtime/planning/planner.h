// Planner: makes the plans of one engine, and executors that run them.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_PLANNING_PLANNER_H_
#define MACE_RUNTIME_PLANNING_PLANNER_H_

#include <memory>
#include <vector>

#include "mace/base/status.h"
#include "mace/graph/graph.h"
#include "mace/plan/types/memory_pattern.h"
#include "mace/runtime/executor/executor.h"
#include "mace/runtime/memory/engine_memory.h"
#include "mace/runtime/model/mace_model.h"
#include "mace/runtime/planning/engine_devices.h"
#include "mace/runtime/settings/config.h"

namespace mace {

// Takes a lease of the workspace for a plan with images, to bind them and to
// tune kernels. Not thread-safe.
class Planner {
 public:
  // `keeps_offsets`: PlanOptions::keeps_offsets. `trace` may be null. All must
  // outlive the planner.
  Planner(const MaceModel::Impl& model, const MaceEngineConfig::Impl& config,
          EngineDevices* devices, EngineMemory* memory, Trace* trace,
          bool keeps_offsets)
      : model_(model),
        config_(config),
        devices_(*devices),
        memory_(*memory),
        trace_(trace),
        keeps_offsets_(keeps_offsets) {}

  // Plans the whole model, `graph`, for inputs of these shapes. `like` is the
  // pattern of a plan for other shapes, or null. If the driver of another
  // device fails, falls back to the CPU for this plan and all later ones.
  // Errors: as MakePlan;
  // MACE_INVALID_ARGS if the shapes of this model must not change;
  // MACE_UNSUPPORTED if devices run less of it than is required.
  Result<std::unique_ptr<Executor>> PlanModel(
      const Graph& graph, const std::vector<Shape>& shapes,
      std::shared_ptr<const MemoryPattern> like);

  // Plans a part of the model that runs after others in the same memory, on the
  // engine's devices or only on the CPU. Does not fall back if a driver fails.
  // Errors: as MakePlan; MACE_OUT_OF_RESOURCES if the plan does not fit into
  // the caller's arena; those of a driver.
  Result<std::unique_ptr<Executor>> PlanPart(
      Graph graph, std::shared_ptr<const MemoryPattern> like, bool only_cpu);

  bool only_cpu() const { return devices_.only_cpu(); }
  // The settings of the engine, merged from the caller's and the model's.
  const Settings& settings() const { return config_.settings.values; }

 private:
  // Plans, and plans again on the CPU only if the driver of another device
  // fails: MACE_RUNTIME_ERROR, or MACE_OUT_OF_RESOURCES that does not come from
  // the caller's arena.
  Result<std::unique_ptr<Executor>> TryOrFallBack(
      const Graph& graph, const std::vector<Shape>& shapes,
      std::shared_ptr<const MemoryPattern> like);
  Result<std::unique_ptr<Executor>> TryModel(
      const Graph& graph, const std::vector<Shape>& shapes,
      std::shared_ptr<const MemoryPattern> like) const;
  // `as_declared`: it is the whole model, with its own input shapes. Only then
  // are the types that the file declares checked, and the memory plans of the
  // file and of the app used.
  Result<std::unique_ptr<Plan>> PlanOf(
      Graph graph, bool as_declared, std::shared_ptr<const MemoryPattern> like,
      std::vector<Device*> devices) const;
  // Binds the images of the plan, and turns on what the settings ask for. The
  // arena is bound before each run.
  Result<std::unique_ptr<Executor>> ExecutorOf(
      std::unique_ptr<Plan> plan) const;

  const MaceModel::Impl& model_;
  const MaceEngineConfig::Impl& config_;
  EngineDevices& devices_;
  EngineMemory& memory_;
  Trace* const trace_;
  const bool keeps_offsets_;
};

}  // namespace mace

#endif  // MACE_RUNTIME_PLANNING_PLANNER_H_
