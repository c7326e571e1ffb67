// What a MaceEngine is made of: on one side the caller's names and tensors, on
// the other the plans. Thread-safe after Init, except PlanFor.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_ENGINE_H_
#define MACE_RUNTIME_ENGINE_H_

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mace/base/fork.h"
#include "mace/runtime/control_flow/deferred_runner.h"
#include "mace/runtime/executor/trace.h"
#include "mace/runtime/io/io_adapter.h"
#include "mace/runtime/io/open_shapes.h"
#include "mace/runtime/io/states.h"
#include "mace/runtime/memory/engine_memory.h"
#include "mace/runtime/model/mace_model.h"
#include "mace/runtime/planning/engine_devices.h"
#include "mace/runtime/planning/plan_cache.h"
#include "mace/runtime/planning/planner.h"
#include "mace/runtime/settings/config.h"

namespace mace {

// The functions of the same name in mace_engine.h have the contracts. A run
// goes through:
//
//    caller's tensors -> adapters_ (states, float32) -> plans_ by shape
//      -> lease of the workspace -> bind arena, images, tensors
//      -> Executor::Run, or deferred_ if the plan waits for data
//      -> adapters_ backwards -> caller's tensors
class MaceEngine::Impl {
 public:
  using Tensors = std::map<std::string, MaceTensor>;

  ~Impl();
  // Must be called once, before all others. `query_only`: plans are made to
  // count their bytes or to see where nodes run, and cannot run.
  Status Init(std::shared_ptr<MaceModel> model,
              const std::vector<std::string>& input_nodes,
              const std::vector<std::string>& output_nodes,
              const MaceEngineConfig& config, bool query_only = false);
  Status Run(const Tensors& inputs, Tensors* outputs,
             const Cancellation* cancellation, RunMetadata* metadata);
  void ReleaseMemory();
  // Not locked: it is called while another thread runs the engine.
  void ExpectRun() { devices_.cpu().activity()->ExpectRun(); }
  std::vector<MaceTensorInfo> StateInfos() const;
  Status ResetState();
  Status GetState(Tensors* states) const;
  Status SetState(const Tensors& states);
  std::vector<MaceTensorInfo> Infos(bool of_inputs) const;
  Status Dump(const std::string& stage, std::string* text) const;
  Status GetMemoryUsage(MaceMemoryUsage* usage) const;
  Status GetMemoryTotals(MaceMemoryTotals* totals) const;
  Status GetDeviceCounts(MaceDeviceCounts* counts) const;
  Status GetPlacement(std::vector<MaceNodePlacement>* placement) const;
  Status GetGPUHandles(MaceGPUHandles* handles) const;
  Status ImportMemory(const MaceExternalMemory& memory,
                      const std::vector<int64_t>& shape,
                      MaceTensor* tensor) const;
  // Plans for inputs of these shapes; inputs that are not named keep theirs.
  // Only for an engine that was initialized with `query_only`. Errors: as Run.
  Status PlanFor(const std::map<std::string, std::vector<int64_t>>& shapes);
  // Returns the bytes of an arena that suffices for all shapes planned so far.
  size_t arena_bytes() const;
  // Whether no device that the config asks for is missing or has failed, and
  // any op of the latest plan runs on the preferred one.
  bool RunsOnFirstDevice() const;
  // Null if the arena is the caller's.
  std::shared_ptr<Workspace> shareable_memory() const {
    return memory_.shareable();
  }

 private:
  // Makes all that runs the model, with the settings of config_.
  Status Prepare(const std::vector<std::string>& input_nodes,
                 const std::vector<std::string>& output_nodes);
  // Makes graph_ the part of the model that the outputs need, with the states.
  Status CutGraph(const std::vector<std::string>& input_nodes,
                  const std::vector<std::string>& output_nodes);
  // Makes the devices of the engine, and makes graph_ fit them.
  Status ChooseDevices();
  // Makes what plans and runs graph_, and the first plan.
  Status MakePlanner();

  // Waits until no other Run goes on, and locks mutex_. Errors: MACE_CANCELLED.
  Status LockForRun();
  // Each REQUIRES: mutex_ is held.
  Status RunLocked(const Tensors& inputs, Tensors* outputs,
                   const Cancellation* cancellation, RunMetadata* metadata);
  // Runs with the adapters from this one on.
  Status RunAdapted(const std::unique_ptr<IoAdapter>* adapter,
                    const Tensors& inputs, Tensors* outputs,
                    const Cancellation* cancellation, RunMetadata* metadata);
  // Runs with tensors of the types that the model has.
  Status RunNative(const Tensors& inputs, Tensors* outputs,
                   const Cancellation* cancellation, RunMetadata* metadata);
  // Makes the plan for the shapes of these inputs the latest one.
  Status UseShapesOf(const Tensors& inputs);
  Result<MaceMemoryUsage> Usage() const;
  Result<MaceMemoryTotals> Totals() const;

  std::shared_ptr<MaceModel> model_;
  MaceEngineConfig::Impl config_;
  std::unique_ptr<Trace> trace_;  // null: off
  EngineDevices devices_;
  Graph graph_;             // cut to the inputs and outputs asked for
  OpenShapes open_shapes_;  // those of the model

  mutable Mutex mutex_;  // guards all members below
  EngineMemory memory_;
  States states_;
  // In the order of a run; null: it is absent.
  std::unique_ptr<IoAdapter> adapters_[2];
  std::unique_ptr<Planner> planner_;
  // Declared after devices_, because kernels use them until they are destroyed.
  std::unique_ptr<PlanCache> plans_;
  std::unique_ptr<DeferredRunner> deferred_;
};

}  // namespace mace

#endif  // MACE_RUNTIME_ENGINE_H_
