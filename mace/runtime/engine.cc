// Creating engines, and making plans and memory for their runs.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/engine.h"

#include <string>
#include <utility>

#include "mace/base/logging.h"
#include "mace/base/make_shared.h"
#include "mace/base/parts.h"
#include "mace/base/search.h"
#include "mace/base/str_cat.h"
#include "mace/device/widen_weights.h"
#include "mace/plan/make_plan.h"
#include "mace/plan/types/one_device.h"
#include "mace/runtime/io/caller_tensors.h"
#include "mace/runtime/model/node_names.h"
#include "mace/runtime/report/run_log.h"

namespace mace {
namespace {

// The largest extent that is tried for open dimensions of a model that does not
// limit them, until there is a run that says what it wants.
constexpr int64_t kMostFirstExtent = 1024;

// Whether a device may measure kernels: a GPU can in every build.
constexpr bool kTunes = kHasTuning || !kOneDevice;

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

std::string KeyOf(const std::vector<Shape>& shapes) {
  std::string key;
  for (const Shape& shape : shapes) AppendToKey(shape, &key);
  return key;
}

MemorySavings SavingsOf(const std::vector<std::string>& names) {
  const auto has = [&](const char* name) { return Contains(names, name); };
  return {has("order"),  has("views"),   has("in_place"),
          has("concat"), has("overlap"), has("concat")};
}

}  // namespace

Status MaceEngine::Impl::Init(std::shared_ptr<MaceModel> model,
                              const std::vector<std::string>& input_nodes,
                              const std::vector<std::string>& output_nodes,
                              const MaceEngineConfig& config, bool query_only) {
  const HoldFork hold_fork;
  query_only_ = query_only;
  model_ = std::move(model);
  config_ = MaceEngineConfig::Impl(*config.impl());
  MACE_RETURN_IF_ERROR(CheckHeaders(config_));
  // The caller's settings have priority over the model's.
  config_.settings.Fill(model_->impl()->settings);
  const Settings& settings = config_.settings.values;
  MACE_RETURN_IF_ERROR(ChooseMemory());
  const ScopedMemoryBudget scope(budget_);
  const Model& source = model_->impl()->model;
  graph_ = Graph(source.graph);
  MACE_RETURN_IF_ERROR(CheckInputNames(input_nodes, graph_));
  MACE_RETURN_IF_ERROR(CheckNodeNames(graph_, settings.float32_nodes));
  MACE_RETURN_IF_ERROR(CutOutputs(output_nodes, &graph_));
  if (kHasStates) {
    MACE_RETURN_IF_ERROR(
        states_.AddTo(source.states, source.open_dims, &graph_));
  }
  MACE_RETURN_IF_ERROR(config_.ops.Resolve(graph_));
  MACE_ASSIGN_OR_RETURN(
      devices_, CreateDevices(config_, {model_->impl()->packed,
                                        model_->impl()->device_weights}));
  for (const std::string& text : {devices_.note, devices_.without_effect}) {
    if (!text.empty()) LOG(WARNING) << text;
  }
  if (kHasStates) {
    // Another device would have to fetch a whole room to read a few of its
    // rows.
    if (devices_.list.size() == 1) states_.GrowInPlace(&graph_);
    if (!is_query()) MACE_RETURN_IF_ERROR(states_.Allocate(source.graph));
  }
  std::vector<Device*> devices;
  for (const auto& device : devices_.list) devices.push_back(device.get());
  MACE_RETURN_IF_ERROR(WidenWeights(devices, *model_->impl()->packed, graph_));
  if (kHasControlFlow && graph_.subgraphs != nullptr) {
    // Those of the model are shared with other engines.
    auto own = MakeShared<Subgraphs>(*graph_.subgraphs);
    for (auto& [name, subgraph] : *own) {
      MACE_RETURN_IF_ERROR(config_.ops.Resolve(subgraph));
      MACE_RETURN_IF_ERROR(
          WidenWeights(devices, *model_->impl()->packed, subgraph));
    }
    graph_.subgraphs = std::move(own);
  }
  MACE_RETURN_IF_ERROR(PlanFirst());
  model_->impl()->ForgetPackedWeights();
  return Status();
}

Status MaceEngine::Impl::ChooseMemory() {
  if (config_.workspace != nullptr && has_arena()) {
    return InvalidArgument(
        "SetArena and ShareMemoryWith exclude each other: an engine in the "
        "caller's arena shares no memory; call one of them");
  }
  workspace_ = config_.workspace != nullptr && !is_query()
                   ? config_.workspace
                   : MakeShared<Workspace>();
  const int64_t limit = config_.settings.values.memory_limit;
  budget_ = MakeShared<MemoryBudget>(limit > 0 ? limit : MachineMemoryBytes());
  if (!kHasArenaSections) return Status();
  sections_ = !has_arena() || is_query()
                  ? MakeShared<memory::ArenaSections>()
                  : MakeShared<memory::ArenaSections>(config_.arena,
                                                      config_.arena_bytes);
  return Status();
}

Status MaceEngine::Impl::PlanFirst() {
  if (!kHasOpenShapes) {
    return UseShapes(OpenShapes().WithExtent(graph_, 1));
  }
  open_shapes_ = OpenShapes(model_->impl()->model.open_dims,
                            graph_.inputs.size() - states_.tensors());
  Status first;
  for (int64_t extent = 1; extent <= kMostFirstExtent; extent *= 2) {
    const std::vector<Shape> shapes = open_shapes_.WithExtent(graph_, extent);
    const Status planned = UseShapes(shapes);
    if (planned.ok()) {
      for (size_t i = 0; i < shapes.size(); ++i) {
        graph_.values[graph_.inputs[i]].type.shape = shapes[i];
      }
      // What was decided for so small tensors is no example for others.
      if (!open_shapes_.empty() && !open_shapes_.is_bounded()) pattern_.reset();
      return planned;
    }
    if (extent == 1) first = planned;
    const bool may_be_too_small = planned == Status::MACE_INVALID_MODEL &&
                                  !open_shapes_.empty() &&
                                  !open_shapes_.is_bounded();
    if (!may_be_too_small) return planned;
  }
  return first;
}

Status MaceEngine::Impl::UseShapes(const std::vector<Shape>& shapes) {
  if (executors_.Find(KeyOf(shapes)) != nullptr) return Status();
  if (!kHasArenaSections) return AddExecutor(shapes);
  sections_->ForgetFailure();
  const Status added = AddExecutor(shapes);
  // MACE_OUT_OF_RESOURCES may also come from memory outside of the arena.
  if (added == Status::MACE_OUT_OF_RESOURCES && sections_->failed()) {
    return ArenaTooSmall(shapes);
  }
  return added;
}

Status MaceEngine::Impl::ArenaTooSmall(const std::vector<Shape>& shapes) {
  auto counting = MakeShared<memory::ArenaSections>(
      *sections_, memory::ArenaSections::kCount);
  std::swap(sections_, counting);
  const Status added = AddExecutor(shapes);
  std::swap(sections_, counting);
  if (added.ok()) executors_.DropLatest();
  MACE_RETURN_IF_ERROR(added);
  return OutOfResources("the arena given has ", config_.arena_bytes,
                        " bytes, but these shapes need ",
                        counting->needed_bytes());
}

Status MaceEngine::Impl::AddExecutor(const std::vector<Shape>& shapes) {
  const memory::ScopedArenaSections scope(sections_);
  const int64_t begin = LogMicros();
  MACE_ASSIGN_OR_RETURN(std::unique_ptr<Executor> executor,
                        MakeExecutorOrFallBack(shapes));
  if (!states_.empty()) {
    MACE_RETURN_IF_ERROR(states_.CheckTypes(executor->plan().graph));
  }
  LogPlan(executor->plan(), LogMicros() - begin);
  if (kHasPatterns && pattern_ == nullptr) {
    pattern_ = executor->plan().pattern;
  }
  if (kHasArenaSections) {
    const auto bytes = static_cast<size_t>(executor->plan().arena_bytes);
    MACE_RETURN_IF_ERROR(sections_->GrowHead(bytes));
  }
  if (!is_query()) {
    const Workspace::Turn turn(*workspace_);
    MACE_RETURN_IF_ERROR(ProvideArena(*executor));
  }
  executors_.Add(KeyOf(shapes), std::move(executor));
  return Status();
}

Result<std::unique_ptr<Executor>> MaceEngine::Impl::MakeExecutorOrFallBack(
    const std::vector<Shape>& shapes) {
  auto executor = MakeExecutor(shapes);
  const Status& status = executor.status();
  const bool driver = status == Status::MACE_RUNTIME_ERROR ||
                      (status == Status::MACE_OUT_OF_RESOURCES &&
                       !(kHasArenaSections && sections_->failed()));
  if (kOneDevice || executor.ok() || !driver || cpu_only_ ||
      devices_.list.size() == 1) {
    return executor;
  }
  cpu_only_ = true;
  workspace_->ReleaseSoon();  // what the device has
  std::string names;
  for (size_t i = 0; i + 1 < devices_.list.size(); ++i) {
    names += StrCat(i == 0 ? "" : " or the ", devices_.list[i]->name());
  }
  devices_.note = StrCat("the ", names,
                         " failed, the CPU takes over: ", status.information());
  LOG(WARNING) << devices_.note;
  return MakeExecutor(shapes);
}

namespace {

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

Result<std::unique_ptr<Plan>> MaceEngine::Impl::PlanGraph(
    const std::vector<Shape>& shapes) const {
  Graph graph = graph_;
  MACE_ASSIGN_OR_RETURN(
      const bool as_declared,
      SetInputShapes(shapes, model_->impl()->model.fixed_input_shapes, graph));
  return PlanOf(std::move(graph), as_declared, pattern_);
}

Result<std::unique_ptr<Plan>> MaceEngine::Impl::PlanOf(
    Graph graph, bool as_declared,
    std::shared_ptr<const MemoryPattern> like) const {
  PlanOptions options;
  options.like = std::move(like);
  // The first plan is for the largest shapes.
  options.keeps_places = kHasOpenShapes && open_shapes_.is_bounded() &&
                         (states_.empty() || !states_.grow());
  for (const auto& device : devices_.list) {
    if (!cpu_only_ || device == devices_.list.back()) {
      options.devices.push_back(device.get());
    }
  }
  const Settings& settings = config_.settings.values;
  options.memory_strategy = settings.memory_strategy;
  options.savings = SavingsOf(settings.memory_savings);
  if (kHasMemoryPlans && as_declared) {
    options.offline_plan = config_.offline_plan;
  } else if (kHasMemoryPlans && !config_.offline_plan.empty()) {
    LOG(INFO) << "the offline memory plan is for the model's own input shapes; "
                 "these are planned with "
              << settings.memory_strategy;
  }
  std::map<int, TensorType> declared;
  if (as_declared) {
    const Model& model = model_->impl()->model;
    declared = model.declared;
    if (kHasMemoryPlans) {
      options.embedded_plan = EmbeddedPlanOf(model.memory_plan);
    }
  }
  if (kTunes && options.devices.size() == 1 && !is_query() &&
      options.devices[0]->tuning() != nullptr) {
    const auto dry_run = [&]() -> Result<std::shared_ptr<const void>> {
      // This plan is freed before the arena is provided, so its constants must
      // not lie in the arena's sections.
      const memory::ScopedArenaSections none(nullptr);
      MACE_ASSIGN_OR_RETURN(std::unique_ptr<Plan> plan,
                            MakePlan(graph, declared, options));
      return std::shared_ptr<const void>(std::move(plan));
    };
    MACE_RETURN_IF_ERROR(options.devices[0]->tuning()->TunePlan(dry_run));
  }
  return MakePlan(std::move(graph), declared, options);
}

Result<std::unique_ptr<Executor>> MaceEngine::Impl::MakeExecutor(
    const std::vector<Shape>& shapes) const {
  MACE_ASSIGN_OR_RETURN(std::unique_ptr<Plan> plan, PlanGraph(shapes));
  return ExecutorOf(std::move(plan));
}

Result<std::unique_ptr<Executor>> MaceEngine::Impl::ExecutorOf(
    std::unique_ptr<Plan> plan) const {
  if (!kHasControlFlow && plan->rest != nullptr) {
    return AbsentPart("a model whose plan waits for data", "control_flow");
  }
  const bool has_images = !kOneDevice && plan->image_device != nullptr;
  const Settings& settings = config_.settings.values;
  if (!kHasCheckNumerics && settings.guard) {
    return AbsentPart("SetGuard", "check_numerics");
  }
  auto executor = std::make_unique<Executor>(std::move(plan), settings.guard);
  if (is_query()) return executor;
  if (has_images) {
    const Workspace::Turn turn(*workspace_);
    MACE_RETURN_IF_ERROR(ProvideImages(*executor));
    MACE_RETURN_IF_ERROR(executor->Tune());
  }
  if (settings.check_numerics) MACE_RETURN_IF_ERROR(executor->CheckNumerics());
  return executor;
}

Status MaceEngine::Impl::ProvideArena(Executor& executor) const {
  void* arena = config_.arena;
  if (!has_arena()) {
    MACE_ASSIGN_OR_RETURN(
        arena,
        workspace_->Arena(static_cast<size_t>(executor.plan().arena_bytes)));
  }
  executor.BindArena(arena);
  return Status();
}

Status MaceEngine::Impl::ProvideImages(Executor& executor) const {
  const Plan& plan = executor.plan();
  if (kOneDevice || plan.image_device == nullptr ||
      executor.generation() == workspace_->generation()) {
    return Status();
  }
  MACE_ASSIGN_OR_RETURN(
      const std::vector<Buffer> images,
      workspace_->Images(*plan.image_device->storage(), plan.images));
  executor.BindImages(images, workspace_->generation());
  return Status();
}

MaceEngine::Impl::~Impl() {
  if (!CheckForked().ok()) {
    // Drivers of the parent are not told, and what they hold stays.
    new auto(std::move(executors_));
    new auto(std::move(devices_));
    new auto(std::move(workspace_));
    return;
  }
  // What only this engine needed must not stay for the others.
  if (workspace_ != nullptr) workspace_->ReleaseSoon();
}

Status MaceEngine::Impl::CheckForked() const {
  if (kOneDevice || generation_ == ForkGeneration() || cpu_only_ ||
      devices_.list.size() <= 1) {
    return Status();
  }
  return RuntimeError(
      "this process is a fork of the one that created the engine, and the "
      "driver of the ",
      devices_.list.front()->name(),
      " works in that one only: create the engine after the fork, in a process "
      "that was started (`spawn`), or on the CPU");
}

void MaceEngine::Impl::ReleaseMemory() {
  std::lock_guard<Mutex> lock(mutex_);
  if (!CheckForked().ok()) return;
  const Workspace::Turn turn(*workspace_);
  workspace_->Release();
}

Status MaceEngine::Impl::PlanFor(
    const std::map<std::string, std::vector<int64_t>>& shapes) {
  const ScopedMemoryBudget scope(budget_);
  MACE_ASSIGN_OR_RETURN(const std::vector<Shape> all,
                        CompleteShapes(graph_, shapes));
  if (kHasOpenShapes) MACE_RETURN_IF_ERROR(open_shapes_.Check(graph_, all));
  return UseShapes(all);
}

size_t MaceEngine::Impl::arena_bytes() const {
  std::lock_guard<Mutex> lock(mutex_);
  return sections_->needed_bytes();
}

}  // namespace mace
