// DeferredRunner: runs a model of which a part is planned when data are known.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_CONTROL_FLOW_DEFERRED_RUNNER_H_
#define MACE_RUNTIME_CONTROL_FLOW_DEFERRED_RUNNER_H_

#include <map>
#include <memory>
#include <set>
#include <string>

#include "mace/base/status.h"
#include "mace/graph/graph.h"
#include "mace/public/mace.h"
#include "mace/runtime/executor/executor.h"
#include "mace/runtime/io/states.h"
#include "mace/runtime/memory/engine_memory.h"
#include "mace/runtime/planning/planner.h"

namespace mace {

// Gives control flow the memory, the plans and the outputs of an engine. Not
// thread-safe.
class DeferredRunner {
 public:
  // `graph` is the whole model, `states` are its. All must outlive the runner.
  DeferredRunner(const Graph& graph, const States& states, Planner* planner,
                 EngineMemory* memory)
      : graph_(graph), states_(states), planner_(*planner), memory_(*memory) {}

  // Runs the model; `first` has the plan for the shapes of its inputs. Errors:
  // as ControlFlowExecutor::Run; MACE_INVALID_ARGS, MACE_UNSUPPORTED for
  // tensors that do not fit.
  Status Run(Executor& first, const std::map<std::string, MaceTensor>& inputs,
             std::map<std::string, MaceTensor>* outputs,
             const Cancellation* cancellation, RunMetadata* metadata);

 private:
  class Host;
  // Returns memory for an output of the model, and sets its tensor in `outputs`
  // to it: the caller's memory, or new memory if the caller gives none, or
  // gives back what an earlier run allocated and the shape has changed. Errors:
  // MACE_INVALID_ARGS if the caller's is too small, of another type or not
  // aligned; MACE_OUT_OF_RESOURCES.
  Result<void*> OutputMemory(int id, const TensorType& type,
                             std::map<std::string, MaceTensor>& outputs);
  // Logs that the CPU runs this loop, once for each loop of an engine that also
  // has other devices.
  void SayThatTheCpuRuns(const std::string& reshaping_loop);

  const Graph& graph_;
  const States& states_;
  Planner& planner_;
  EngineMemory& memory_;
  // By id: the memory that OutputMemory allocated last, which it may replace.
  std::map<int, std::weak_ptr<void>> allocated_outputs_;
  std::set<std::string> reshaping_loops_;  // of which the log speaks
};

}  // namespace mace

#endif  // MACE_RUNTIME_CONTROL_FLOW_DEFERRED_RUNNER_H_
