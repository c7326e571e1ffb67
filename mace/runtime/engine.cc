// Creating engines.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/engine.h"

#include <utility>

#include "mace/base/cpu_rows.h"
#include "mace/base/make_shared.h"
#include "mace/base/memory_reserve.h"
#include "mace/device/widen_weights.h"
#include "mace/plan/types/one_device.h"
#include "mace/runtime/io/caller_tensors.h"
#include "mace/runtime/io/float_io.h"
#include "mace/runtime/io/states_io.h"
#include "mace/runtime/model/node_names.h"

namespace mace {
namespace {

// Whether a device of this build computes quantized tensors, for which callers
// may give float32.
constexpr bool kHasFloatIo = kHas8BitKernels || !kOneDevice;

}  // namespace

Status MaceEngine::Impl::Init(std::shared_ptr<MaceModel> model,
                              const std::vector<std::string>& input_nodes,
                              const std::vector<std::string>& output_nodes,
                              const MaceEngineConfig& config, bool query_only) {
  const HoldFork hold_fork;
  model_ = std::move(model);
  config_ = MaceEngineConfig::Impl(*config.impl());
  MACE_RETURN_IF_ERROR(CheckHeaders(config_));
  // The caller's settings have priority over the model's.
  config_.settings.Fill(model_->impl()->settings);
  if (config_.settings.values.tracing) {
    MACE_ASSIGN_OR_RETURN(trace_, Trace::Create());
  }
  const TraceSpan span(trace_.get(), "create engine");
  MACE_RETURN_IF_ERROR(FillMemoryReserve());
  MACE_RETURN_IF_ERROR(memory_.Choose(config_, query_only));
  return Prepare(input_nodes, output_nodes);
}

Status MaceEngine::Impl::Prepare(const std::vector<std::string>& input_nodes,
                                 const std::vector<std::string>& output_nodes) {
  const ScopedMemoryBudget scope(memory_.budget());
  MACE_RETURN_IF_ERROR(CutGraph(input_nodes, output_nodes));
  MACE_RETURN_IF_ERROR(FillMemoryReserve());
  MACE_RETURN_IF_ERROR(ChooseDevices());
  MACE_RETURN_IF_ERROR(FillMemoryReserve());
  MACE_RETURN_IF_ERROR(MakePlanner());
  KeepKernelTests(devices_.all());
  model_->impl()->ForgetPackedWeights();
  return Status();
}

Status MaceEngine::Impl::CutGraph(
    const std::vector<std::string>& input_nodes,
    const std::vector<std::string>& output_nodes) {
  const Model& source = model_->impl()->model;
  graph_ = Graph(source.graph);
  MACE_RETURN_IF_ERROR(CheckInputNames(input_nodes, graph_));
  MACE_RETURN_IF_ERROR(
      CheckNodeNames(graph_, config_.settings.values.float32_nodes));
  MACE_RETURN_IF_ERROR(CutOutputs(output_nodes, &graph_));
  MACE_RETURN_IF_ERROR(states_.AddTo(source.states, source.open_dims, &graph_));
  return config_.ops.Resolve(graph_);
}

Status MaceEngine::Impl::ChooseDevices() {
  const MaceModel::Impl& model = *model_->impl();
  MACE_RETURN_IF_ERROR(
      devices_.Create(config_, {model.packed, model.device_weights}));
  // Another device would have to fetch a whole KV cache to read a few of its
  // rows.
  if (devices_.only_cpu()) states_.GrowInPlace(&graph_);
  if (!memory_.is_query()) {
    MACE_RETURN_IF_ERROR(states_.Allocate(model.model.graph));
  }
  const std::vector<Device*> devices = devices_.usable();
  MACE_RETURN_IF_ERROR(WidenWeights(devices, *model.packed, graph_));
  if (graph_.subgraphs != nullptr) {
    // Those of the model are shared with other engines.
    auto own = MakeShared<Subgraphs>(*graph_.subgraphs);
    for (auto& [name, subgraph] : *own) {
      MACE_RETURN_IF_ERROR(config_.ops.Resolve(subgraph));
      MACE_RETURN_IF_ERROR(WidenWeights(devices, *model.packed, subgraph));
    }
    graph_.subgraphs = std::move(own);
  }
  return Status();
}

Status MaceEngine::Impl::MakePlanner() {
  const MaceModel::Impl& model = *model_->impl();
  open_shapes_ = OpenShapes(model.model.open_dims,
                            graph_.inputs.size() - states_.tensors());
  // The first plan is for the largest shapes.
  const bool keeps_offsets =
      open_shapes_.is_bounded() && (states_.empty() || !states_.grow());
  planner_ = std::make_unique<Planner>(model, config_, &devices_, &memory_,
                                       trace_.get(), keeps_offsets);
  plans_ = std::make_unique<PlanCache>(states_, planner_.get(), &memory_);
  deferred_ = std::make_unique<DeferredRunner>(graph_, states_, planner_.get(),
                                               &memory_);
  adapters_[0] = StatesIo::Create(&states_);
  if (kHasFloatIo) adapters_[1] = std::make_unique<FloatIo>();
  return plans_->PlanFirst(open_shapes_, &graph_);
}

MaceEngine::Impl::~Impl() {
  if (!devices_.CheckForked().ok()) {
    // Drivers of the parent are not told, and what they hold stays.
    new auto(std::move(plans_));
    new auto(std::move(devices_));
    new auto(std::move(memory_));
    return;
  }
  // What only this engine needed must not stay for the others.
  memory_.ReleaseSoon();
}

void MaceEngine::Impl::ReleaseMemory() {
  std::lock_guard<Mutex> lock(mutex_);
  if (!devices_.CheckForked().ok()) return;
  const Workspace::Lease lease(memory_.workspace());
  if (lease.status().ok()) memory_.workspace().Release();
}

Status MaceEngine::Impl::PlanFor(
    const std::map<std::string, std::vector<int64_t>>& shapes) {
  const ScopedMemoryBudget scope(memory_.budget());
  MACE_ASSIGN_OR_RETURN(const std::vector<Shape> all,
                        CompleteShapes(graph_, shapes));
  MACE_RETURN_IF_ERROR(open_shapes_.Check(graph_, all));
  return plans_->Use(graph_, all);
}

size_t MaceEngine::Impl::arena_bytes() const {
  std::lock_guard<Mutex> lock(mutex_);
  return memory_.sections()->needed_bytes();
}

}  // namespace mace
