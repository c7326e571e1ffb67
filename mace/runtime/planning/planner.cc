// Planning with the settings of an engine.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/planning/planner.h"

#include <map>
#include <string>
#include <utility>

#include "mace/base/cancellation.h"
#include "mace/base/clock.h"
#include "mace/base/logging.h"
#include "mace/base/search.h"
#include "mace/plan/make_plan.h"
#include "mace/plan/types/one_device.h"
#include "mace/runtime/planning/require.h"
#include "mace/runtime/report/run_log.h"

namespace mace {
namespace {

memory::EmbeddedPlan EmbeddedPlanOf(const EmbeddedMemoryPlan& stored) {
  memory::EmbeddedPlan plan;
  if (stored.version != 1) return plan;
  plan.hash = stored.records_hash;
  plan.offsets = stored.offsets;
  plan.certificate.total = stored.total_bytes;
  plan.certificate.lower_bound = stored.lower_bound_bytes;
  plan.certificate.status = stored.optimal ? memory::Certificate::kOptimal
                                           : memory::Certificate::kFeasible;
  return plan;
}

MemorySavings SavingsOf(const std::vector<std::string>& names) {
  const auto has = [&](const char* name) { return Contains(names, name); };
  return {has("order"),  has("views"),   has("in_place"),
          has("concat"), has("overlap"), has("concat")};
}

// Gives the inputs of `graph` these shapes and returns whether they are the
// ones that it had. `fixed` says why they must not change, or is empty. Errors:
// MACE_INVALID_ARGS.
Result<bool> SetInputShapes(const std::vector<Shape>& shapes,
                            const std::string& fixed, Graph& graph) {
  bool as_declared = true;
  for (size_t i = 0; i < shapes.size(); ++i) {
    Shape& shape = graph.values[graph.inputs[i]].type.shape;
    if (shape != shapes[i] && !fixed.empty()) {
      return InvalidArgument(
          "input '", graph.values[graph.inputs[i]].name, "': expected ",
          ToString(shape), ", found ", ToString(shapes[i]),
          "; the model is for the shapes that it was converted for, as ", fixed,
          " of the source model depends on them: convert it again ",
          "with these input_shapes");
    }
    as_declared = as_declared && shape == shapes[i];
    shape = shapes[i];
  }
  return as_declared;
}

}  // namespace

Result<std::unique_ptr<Executor>> Planner::PlanModel(
    const Graph& graph, const std::vector<Shape>& shapes,
    std::shared_ptr<const MemoryPattern> like) {
  MACE_ASSIGN_OR_RETURN(std::unique_ptr<Executor> executor,
                        TryOrFallBack(graph, shapes, std::move(like)));
  MACE_RETURN_IF_ERROR(CheckRequired(config_.settings.values.require,
                                     devices_.all().note, executor->plan()));
  return executor;
}

Result<std::unique_ptr<Executor>> Planner::TryOrFallBack(
    const Graph& graph, const std::vector<Shape>& shapes,
    std::shared_ptr<const MemoryPattern> like) {
  const TraceSpan span(trace_, "plan");
  auto executor = TryModel(graph, shapes, like);
  const Status& status = executor.status();
  const bool driver = status == Status::MACE_RUNTIME_ERROR ||
                      (status == Status::MACE_OUT_OF_RESOURCES &&
                       !memory_.sections()->failed());
  if (executor.ok() || !driver || devices_.only_cpu()) return executor;
  memory_.ReleaseSoon();  // what the device has
  devices_.FallBackToCpu(status.information());
  return TryModel(graph, shapes, std::move(like));
}

Result<std::unique_ptr<Executor>> Planner::TryModel(
    const Graph& graph, const std::vector<Shape>& shapes,
    std::shared_ptr<const MemoryPattern> like) const {
  Graph shaped = graph;
  MACE_ASSIGN_OR_RETURN(
      const bool as_declared,
      SetInputShapes(shapes, model_.model.fixed_input_shapes, shaped));
  MACE_ASSIGN_OR_RETURN(std::unique_ptr<Plan> plan,
                        PlanOf(std::move(shaped), as_declared, std::move(like),
                               devices_.usable()));
  return ExecutorOf(std::move(plan));
}

Result<std::unique_ptr<Executor>> Planner::PlanPart(
    Graph graph, std::shared_ptr<const MemoryPattern> like, bool only_cpu) {
  const TraceSpan span(trace_, "plan");
  const memory::ScopedArenaSections scope(memory_.sections());
  const int64_t begin = NowMicros();
  MACE_ASSIGN_OR_RETURN(std::unique_ptr<Plan> plan,
                        PlanOf(std::move(graph), false, std::move(like),
                               only_cpu ? std::vector<Device*>{&devices_.cpu()}
                                        : devices_.usable()));
  MACE_ASSIGN_OR_RETURN(std::unique_ptr<Executor> executor,
                        ExecutorOf(std::move(plan)));
  LogPlan(executor->plan(), NowMicros() - begin);
  MACE_RETURN_IF_ERROR(memory_.Reserve(executor->plan()));
  return executor;
}

Result<std::unique_ptr<Plan>> Planner::PlanOf(
    Graph graph, bool as_declared, std::shared_ptr<const MemoryPattern> like,
    std::vector<Device*> devices) const {
  PlanOptions options;
  options.like = std::move(like);
  options.keeps_offsets = keeps_offsets_;
  options.devices = std::move(devices);
  options.memory_strategy = settings().memory_strategy;
  options.savings = SavingsOf(settings().memory_savings);
  if (as_declared) {
    options.offline_plan = config_.offline_plan;
  } else if (!config_.offline_plan.empty()) {
    LOG(INFO) << "the offline memory plan is for the model's own input shapes; "
                 "these are planned with "
              << settings().memory_strategy;
  }
  std::map<int, TensorType> declared;
  if (as_declared) {
    const Model& model = model_.model;
    declared = model.declared;
    options.embedded_plan = EmbeddedPlanOf(model.memory_plan);
  }
  // A GPU measures kernels in every library.
  if ((CanTune() || !kOneDevice) && options.devices.size() == 1 &&
      !memory_.is_query() && options.devices[0]->tuning() != nullptr) {
    const auto dry_run = [&]() -> Result<std::shared_ptr<const void>> {
      // This plan is freed before the arena is provided, so its constants must
      // not lie in the arena's sections.
      const memory::ScopedArenaSections none(nullptr);
      MACE_ASSIGN_OR_RETURN(std::unique_ptr<Plan> plan,
                            MakePlan(graph, declared, options));
      return std::shared_ptr<const void>(std::move(plan));
    };
    MACE_RETURN_IF_ERROR(options.devices[0]->tuning()->TunePlan(dry_run));
    MACE_RETURN_IF_ERROR(Cancellation::CheckPlan());
  }
  return MakePlan(std::move(graph), declared, options);
}

Result<std::unique_ptr<Executor>> Planner::ExecutorOf(
    std::unique_ptr<Plan> plan) const {
  const bool has_images = !kOneDevice && plan->image_device != nullptr;
  auto executor = std::make_unique<Executor>(std::move(plan));
  executor->set_trace(trace_);
  if (settings().guard) MACE_RETURN_IF_ERROR(executor->PoisonUnused());
  if (memory_.is_query()) return executor;
  if (has_images) {
    const Workspace::Lease lease(memory_.workspace());
    MACE_RETURN_IF_ERROR(lease.status());
    MACE_RETURN_IF_ERROR(memory_.ProvideImages(*executor));
    MACE_RETURN_IF_ERROR(executor->Tune());
  }
  if (settings().check_numerics) {
    MACE_RETURN_IF_ERROR(executor->CheckNumerics());
  }
  return executor;
}

}  // namespace mace
