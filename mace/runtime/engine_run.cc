// Running engines, and the states that last from run to run.
// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "mace/base/cpu_rows.h"
#include "mace/base/logging.h"
#include "mace/base/parts.h"
#include "mace/base/str_cat.h"
#include "mace/plan/types/one_device.h"
#include "mace/runtime/engine.h"
#include "mace/runtime/io/caller_tensors.h"
#include "mace/runtime/io/real_tensors.h"
#include "mace/runtime/report/run_log.h"

namespace mace {
namespace {

// Whether a device of this build computes quantized tensors, for which callers
// may give floats.
constexpr bool kHasReals = kHas8BitKernels || !kOneDevice;

}  // namespace

Status MaceEngine::Impl::BindTensors(
    Executor& executor, const std::map<std::string, MaceTensor>& inputs,
    const std::map<std::string, MaceTensor>& outputs) const {
  const Graph& graph = executor.plan().graph;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const std::string& name = graph.values[graph.inputs[i]].name;
    const MaceTensor& tensor = inputs.find(name)->second;
    MACE_RETURN_IF_ERROR(executor.BindInput(
        static_cast<int>(i), tensor.memory_type(), tensor.raw_data().get()));
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const std::string& name = graph.values[graph.outputs[i]].name;
    const MaceTensor& tensor = outputs.find(name)->second;
    MACE_RETURN_IF_ERROR(executor.BindOutput(
        static_cast<int>(i), tensor.memory_type(), tensor.raw_data().get()));
  }
  return Status();
}

Status MaceEngine::Impl::Run(const std::map<std::string, MaceTensor>& inputs,
                             std::map<std::string, MaceTensor>* outputs,
                             const MaceCancellation* cancellation,
                             RunMetadata* metadata) {
  if (outputs == nullptr) return InvalidArgument("Run: outputs is null");
  if (!kHasProfile && metadata != nullptr) {
    return AbsentPart("RunMetadata", "profile");
  }
  const HoldLog hold_log;
  std::lock_guard<Mutex> lock(mutex_);
  const ScopedMemoryBudget scope(budget_);
  MACE_RETURN_IF_ERROR(CheckForked());
  if (kHasProfile && metadata != nullptr) metadata->op_stats.clear();
  if (IsCancelled(cancellation)) return CancelledRun();
  return states_.empty()
             ? RunOnReals(inputs, outputs, cancellation, metadata)
             : RunWithStates(inputs, outputs, cancellation, metadata);
}

Status MaceEngine::Impl::RunWithStates(
    const std::map<std::string, MaceTensor>& inputs,
    std::map<std::string, MaceTensor>* outputs,
    const MaceCancellation* cancellation, RunMetadata* metadata) {
  if (!kHasStates) return AbsentPart("Run", "states");
  std::map<std::string, MaceTensor> all_inputs = inputs, all_outputs = *outputs;
  MACE_RETURN_IF_ERROR(states_.AddTensors(&all_inputs, &all_outputs));
  MACE_RETURN_IF_ERROR(
      RunOnReals(all_inputs, &all_outputs, cancellation, metadata));
  MACE_RETURN_IF_ERROR(states_.CheckWritten(all_outputs));
  states_.Advance(all_outputs);
  states_.RemoveFrom(&all_outputs);
  *outputs = std::move(all_outputs);
  return Status();
}

Status MaceEngine::Impl::RunOnReals(
    const std::map<std::string, MaceTensor>& inputs,
    std::map<std::string, MaceTensor>* outputs,
    const MaceCancellation* cancellation, RunMetadata* metadata) {
  const Graph& graph = executors_.latest().plan().graph;
  if (!kHasReals || !HasReals(graph, inputs, *outputs)) {
    return RunOnTypes(inputs, outputs, cancellation, metadata);
  }
  MACE_ASSIGN_OR_RETURN(const auto in_codes, WithCodes(graph, inputs));
  auto out_codes = WithoutReals(graph, *outputs);
  MACE_RETURN_IF_ERROR(
      RunOnTypes(in_codes, &out_codes, cancellation, metadata));
  return FillReals(executors_.latest().plan().graph, out_codes, outputs);
}

Status MaceEngine::Impl::RunOnTypes(
    const std::map<std::string, MaceTensor>& inputs,
    std::map<std::string, MaceTensor>* outputs,
    const MaceCancellation* cancellation, RunMetadata* metadata) {
  // The usual call has the expected shapes and allocates nothing. Any other is
  // checked in full.
  const Graph& front = executors_.latest().plan().graph;
  if (!Fit(front, front.inputs, inputs)) {
    MACE_ASSIGN_OR_RETURN(const std::vector<Shape> shapes,
                          InputShapes(graph_, inputs));
    if (kHasOpenShapes) {
      MACE_RETURN_IF_ERROR(open_shapes_.Check(graph_, shapes));
    }
    const Status planned = UseShapes(shapes);
    // The model is valid with its own shapes, so that the caller's must be
    // wrong.
    if (planned == Status::MACE_INVALID_MODEL) {
      return WrongShapes(
          graph_, shapes,
          StrCat(planned.information(),
                 states_.empty() ? "" : "; its states keep their shapes"));
    }
    MACE_RETURN_IF_ERROR(planned);
  }
  Executor& executor = executors_.latest();
  if (executor.plan().rest != nullptr) {
    return RunFlow(executor, inputs, outputs, cancellation, metadata);
  }
  const Graph& graph = executor.plan().graph;
  for (const int id : graph.outputs) {
    const Value& value = graph.values[id];
    if (kHasStates && states_.Outgrows(value.name, value.type.shape)) {
      (*outputs)[value.name] = MaceTensor();
    }
  }
  if (!Fit(graph, graph.outputs, *outputs)) {
    MACE_RETURN_IF_ERROR(PrepareOutputs(graph, outputs));
  }
  const Workspace::Turn turn(*workspace_);
  if (IsCancelled(cancellation)) return CancelledRun();
  MACE_RETURN_IF_ERROR(ProvideArena(executor));
  MACE_RETURN_IF_ERROR(ProvideImages(executor));
  MACE_RETURN_IF_ERROR(BindTensors(executor, inputs, *outputs));
  RunMetadata for_log;
  if (kHasProfile && metadata == nullptr && LogsOps()) metadata = &for_log;
  const int64_t begin = LogMicros();
  MACE_RETURN_IF_ERROR(executor.Run(metadata, cancellation));
  if (kHasProfile && MaxVlogLevel() > 0) {
    LogRun(metadata != nullptr ? *metadata : for_log, LogMicros() - begin);
  }
  return Status();
}

std::vector<MaceTensorInfo> MaceEngine::Impl::StateInfos() const {
  std::lock_guard<Mutex> lock(mutex_);
  return states_.empty() ? std::vector<MaceTensorInfo>() : states_.Infos();
}

Status MaceEngine::Impl::ResetState() {
  if (!kHasStates) return AbsentPart("ResetState", "states");
  std::lock_guard<Mutex> lock(mutex_);
  const ScopedMemoryBudget scope(budget_);
  return states_.Reset();
}

Status MaceEngine::Impl::GetState(
    std::map<std::string, MaceTensor>* states) const {
  if (!kHasStates) return AbsentPart("GetState", "states");
  if (states == nullptr) return InvalidArgument("GetState: states is null");
  std::lock_guard<Mutex> lock(mutex_);
  const ScopedMemoryBudget scope(budget_);
  return states_.Get(states);
}

Status MaceEngine::Impl::SetState(
    const std::map<std::string, MaceTensor>& states) {
  if (!kHasStates) return AbsentPart("SetState", "states");
  std::lock_guard<Mutex> lock(mutex_);
  const ScopedMemoryBudget scope(budget_);
  return states_.Set(states);
}

}  // namespace mace
