// Running engines, and the states that last from run to run.
// SPDX-License-Identifier: Apache-2.0

#include <iterator>
#include <utility>

#include "mace/base/clock.h"
#include "mace/base/denormals.h"
#include "mace/base/str_cat.h"
#include "mace/runtime/engine.h"
#include "mace/runtime/executor/op_stats.h"
#include "mace/runtime/io/caller_tensors.h"
#include "mace/runtime/report/run_log.h"

namespace mace {
namespace {

Status BindTensors(const IoAdapter::Tensors& inputs,
                   const IoAdapter::Tensors& outputs, Executor& executor) {
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

}  // namespace

Status MaceEngine::Impl::Run(const Tensors& inputs, Tensors* outputs,
                             const Cancellation* cancellation,
                             RunMetadata* metadata) {
  if (outputs == nullptr) return InvalidArgument("Run: outputs is null");
  const HoldLog hold_log;
  const ScopedCancellation ends(cancellation);
  const RoundToNearest rounding;
  TraceSpan span(trace_.get(), "run");
  MACE_RETURN_IF_ERROR(span.Ended(LockForRun()));
  std::lock_guard<Mutex> lock(mutex_, std::adopt_lock);
  RunMetadata for_trace;
  if (metadata == nullptr && trace_ != nullptr) metadata = &for_trace;
  const Status ran = RunLocked(inputs, outputs, cancellation, metadata);
  if (trace_ != nullptr) trace_->AddOps(*metadata);
  return span.Ended(ran);
}

Status MaceEngine::Impl::LockForRun() {
  if (mutex_.try_lock()) return Status();
  const TraceSpan span(trace_.get(), "wait");
  return LockUnlessCancelled(&mutex_);
}

Status MaceEngine::Impl::RunLocked(const Tensors& inputs, Tensors* outputs,
                                   const Cancellation* cancellation,
                                   RunMetadata* metadata) {
  const ScopedMemoryBudget scope(memory_.budget());
  MACE_RETURN_IF_ERROR(devices_.CheckForked());
  MACE_RETURN_IF_ERROR(BeginOpStats(metadata));
  MACE_RETURN_IF_ERROR(Cancellation::CheckCurrent());
  return RunAdapted(adapters_, inputs, outputs, cancellation, metadata);
}

Status MaceEngine::Impl::RunAdapted(const std::unique_ptr<IoAdapter>* adapter,
                                    const Tensors& inputs, Tensors* outputs,
                                    const Cancellation* cancellation,
                                    RunMetadata* metadata) {
  for (; adapter != std::end(adapters_); ++adapter) {
    const Graph& graph = plans_->latest().plan().graph;
    if (*adapter == nullptr ||
        !(*adapter)->AppliesTo(graph, inputs, *outputs)) {
      continue;
    }
    Tensors adapted_inputs = inputs, adapted_outputs = *outputs;
    MACE_RETURN_IF_ERROR(
        (*adapter)->Adapt(graph, &adapted_inputs, &adapted_outputs));
    MACE_RETURN_IF_ERROR(RunAdapted(adapter + 1, adapted_inputs,
                                    &adapted_outputs, cancellation, metadata));
    return (*adapter)->Restore(plans_->latest().plan().graph,
                               std::move(adapted_outputs), outputs);
  }
  return RunNative(inputs, outputs, cancellation, metadata);
}

Status MaceEngine::Impl::UseShapesOf(const Tensors& inputs) {
  // The usual call has the expected shapes and allocates nothing. Any other is
  // checked in full.
  const Graph& latest = plans_->latest().plan().graph;
  if (Fit(latest, latest.inputs, inputs)) return Status();
  MACE_ASSIGN_OR_RETURN(const std::vector<Shape> shapes,
                        InputShapes(graph_, inputs));
  MACE_RETURN_IF_ERROR(open_shapes_.Check(graph_, shapes));
  const Status planned = plans_->Use(graph_, shapes);
  if (planned != Status::MACE_INVALID_MODEL) return planned;
  // The model is valid with its own shapes, so that the caller's must be wrong.
  return WrongShapes(
      graph_, shapes,
      StrCat(planned.information(),
             states_.empty() ? "" : "; its states keep their shapes"));
}

Status MaceEngine::Impl::RunNative(const Tensors& inputs, Tensors* outputs,
                                   const Cancellation* cancellation,
                                   RunMetadata* metadata) {
  MACE_RETURN_IF_ERROR(UseShapesOf(inputs));
  Executor& executor = plans_->latest();
  if (executor.plan().deferred != nullptr) {
    return deferred_->Run(executor, inputs, outputs, cancellation, metadata);
  }
  const Graph& graph = executor.plan().graph;
  for (const int id : graph.outputs) {
    const Value& value = graph.values[id];
    if (states_.Outgrows(value.name, value.type.shape)) {
      (*outputs)[value.name] = MaceTensor();
    }
  }
  if (!Fit(graph, graph.outputs, *outputs)) {
    MACE_RETURN_IF_ERROR(PrepareOutputs(graph, outputs));
  }
  const Workspace::Lease lease(memory_.workspace());
  MACE_RETURN_IF_ERROR(lease.status());
  MACE_RETURN_IF_ERROR(Cancellation::CheckCurrent());
  MACE_RETURN_IF_ERROR(memory_.ProvideArena(executor));
  MACE_RETURN_IF_ERROR(memory_.ProvideImages(executor));
  MACE_RETURN_IF_ERROR(BindTensors(inputs, *outputs, executor));
  RunMetadata for_log;
  if (metadata == nullptr && LogsOps()) metadata = &for_log;
  const int64_t begin = NowMicros();
  MACE_RETURN_IF_ERROR(executor.Run(metadata, cancellation));
  LogRun(metadata != nullptr ? *metadata : for_log, NowMicros() - begin);
  return Status();
}

std::vector<MaceTensorInfo> MaceEngine::Impl::StateInfos() const {
  std::lock_guard<Mutex> lock(mutex_);
  return states_.empty() ? std::vector<MaceTensorInfo>() : states_.Infos();
}

Status MaceEngine::Impl::ResetState() {
  std::lock_guard<Mutex> lock(mutex_);
  const ScopedMemoryBudget scope(memory_.budget());
  return states_.Reset();
}

Status MaceEngine::Impl::GetState(Tensors* states) const {
  if (states == nullptr) return InvalidArgument("GetState: states is null");
  std::lock_guard<Mutex> lock(mutex_);
  const ScopedMemoryBudget scope(memory_.budget());
  return states_.Get(states);
}

Status MaceEngine::Impl::SetState(const Tensors& states) {
  std::lock_guard<Mutex> lock(mutex_);
  const ScopedMemoryBudget scope(memory_.budget());
  return states_.Set(states);
}

}  // namespace mace
