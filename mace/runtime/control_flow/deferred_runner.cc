// Running plans of a model one after the other, with an engine's memory.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/control_flow/deferred_runner.h"

#include <cstring>
#include <utility>

#include "mace/base/clock.h"
#include "mace/base/logging.h"
#include "mace/base/search.h"
#include "mace/base/str_cat.h"
#include "mace/runtime/control_flow/control_flow_executor.h"
#include "mace/runtime/io/caller_tensors.h"
#include "mace/runtime/model/mace_model.h"
#include "mace/runtime/report/run_log.h"

namespace mace {

class DeferredRunner::Host final : public ControlFlowHost {
 public:
  Host(DeferredRunner& runner, std::map<std::string, MaceTensor>& outputs,
       const Cancellation* cancellation, RunMetadata* metadata)
      : runner_(runner),
        outputs_(outputs),
        cancellation_(cancellation),
        metadata_(metadata) {}

  Result<std::unique_ptr<Executor>> Make(
      Graph graph, std::shared_ptr<const MemoryPattern> like,
      const std::string& reshaping_loop) override {
    const bool only_cpu = !reshaping_loop.empty();
    if (only_cpu) runner_.SayThatTheCpuRuns(reshaping_loop);
    return runner_.planner_.PlanPart(std::move(graph), std::move(like),
                                     only_cpu);
  }

  Status Run(Executor& executor) override {
    MACE_RETURN_IF_ERROR(Cancellation::CheckPlan());
    EngineMemory& memory = runner_.memory_;
    const Workspace::Lease lease(memory.workspace());
    MACE_RETURN_IF_ERROR(lease.status());
    MACE_RETURN_IF_ERROR(memory.ProvideArena(executor));
    MACE_RETURN_IF_ERROR(memory.ProvideImages(executor));
    if (metadata_ == nullptr) return executor.Run(nullptr, cancellation_);
    RunMetadata own;
    const Status ran = executor.Run(&own, cancellation_);
    for (OperatorStats& stats : own.op_stats) {
      metadata_->op_stats.push_back(std::move(stats));
    }
    return ran;
  }

  Result<void*> OutputMemory(int id, const TensorType& type) override {
    const std::vector<int>& ids = runner_.graph_.outputs;
    if (!Contains(ids, id)) return nullptr;
    return runner_.OutputMemory(id, type, outputs_);
  }

 private:
  DeferredRunner& runner_;
  std::map<std::string, MaceTensor>& outputs_;
  const Cancellation* cancellation_;
  RunMetadata* metadata_;
};

Result<void*> DeferredRunner::OutputMemory(
    int id, const TensorType& type,
    std::map<std::string, MaceTensor>& outputs) {
  const std::string& name = graph_.values[id].name;
  MaceTensor& tensor = outputs[name];
  if (!states_.empty() && states_.Outgrows(name, type.shape)) {
    tensor = MaceTensor();
  }
  std::weak_ptr<void>& allocated = allocated_outputs_[id];
  const bool is_own =
      tensor.raw_data() != nullptr && allocated.lock() == tensor.raw_data();
  if (tensor.raw_data() == nullptr || is_own) {
    if (is_own && tensor.shape() == type.shape &&
        FromPublic(tensor.data_type()) == type.dtype) {
      return tensor.raw_data().get();
    }
    tensor = MaceTensor();  // its bytes first
    MACE_ASSIGN_OR_RETURN(tensor, AllocateOutput(type));
    allocated = tensor.raw_data();
    return tensor.raw_data().get();
  }
  MACE_RETURN_IF_ERROR(CheckCapacity(name, type, tensor));
  tensor = MaceTensor(type.shape, tensor.raw_data(), ToPublic(type.dtype));
  return tensor.raw_data().get();
}

void DeferredRunner::SayThatTheCpuRuns(const std::string& reshaping_loop) {
  if (planner_.only_cpu() || !reshaping_loops_.insert(reshaping_loop).second) {
    return;
  }
  LOG(WARNING) << reshaping_loop
               << ": the shapes of what it carries change, so the CPU runs all "
                  "but its first iteration: another device would compile for "
                  "each; give it shapes that stay, such as a buffer of the "
                  "largest size, to run all of it there";
}

Status DeferredRunner::Run(Executor& first,
                           const std::map<std::string, MaceTensor>& inputs,
                           std::map<std::string, MaceTensor>* outputs,
                           const Cancellation* cancellation,
                           RunMetadata* metadata) {
  const Graph& graph = first.plan().graph;
  MACE_RETURN_IF_ERROR(CheckControlFlowTensors(graph_, inputs, *outputs));
  LiveValues values;
  for (int id : graph.inputs) {
    const MaceTensor& tensor = inputs.find(graph.values[id].name)->second;
    values[id] = {graph.values[id].type, tensor.raw_data().get(), nullptr};
  }
  const int64_t begin = NowMicros();
  RunMetadata for_log;
  if (metadata == nullptr && LogsOps()) metadata = &for_log;
  Host host(*this, *outputs, cancellation, metadata);
  ControlFlowExecutor flow(&host, planner_.settings().max_loop_iterations);
  MACE_RETURN_IF_ERROR(flow.Run(first, graph_.outputs, true, values));
  for (int id : graph_.outputs) {
    const auto live = values.find(id);
    MACE_ENSURE(live != values.end());
    const LiveValue& value = live->second;
    // A loop makes its results in memory of its own, or passes others on.
    const auto given = outputs->find(graph_.values[id].name);
    if (given != outputs->end() &&
        given->second.raw_data().get() == value.data && value.data != nullptr) {
      continue;
    }
    MACE_ASSIGN_OR_RETURN(void* const memory,
                          OutputMemory(id, value.type, *outputs));
    const int64_t bytes = Bytes(value.type);
    if (bytes > 0) std::memcpy(memory, value.data, bytes);
  }
  LogRun(metadata != nullptr ? *metadata : for_log, NowMicros() - begin);
  return Status();
}

}  // namespace mace
