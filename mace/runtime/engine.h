// What a MaceEngine holds: on one side the caller's names and shapes, on the
// other the plans. Thread-safe after Init.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_ENGINE_H_
#define MACE_RUNTIME_ENGINE_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mace/base/fork.h"
#include "mace/base/parts.h"
#include "mace/memory/arena_sections.h"
#include "mace/runtime/devices/devices.h"
#include "mace/runtime/executor/executor.h"
#include "mace/runtime/executor/executor_cache.h"
#include "mace/runtime/io/open_shapes.h"
#include "mace/runtime/io/states.h"
#include "mace/runtime/memory/workspace.h"
#include "mace/runtime/model/mace_model.h"
#include "mace/runtime/settings/config.h"

namespace mace {

class MaceEngine::Impl {
 public:
  ~Impl();
  Status Init(std::shared_ptr<MaceModel> model,
              const std::vector<std::string>& input_nodes,
              const std::vector<std::string>& output_nodes,
              const MaceEngineConfig& config, bool query_only = false);
  Status Run(const std::map<std::string, MaceTensor>& inputs,
             std::map<std::string, MaceTensor>* outputs,
             const MaceCancellation* cancellation, RunMetadata* metadata);
  void ReleaseMemory();
  // Not locked: it is called while another thread runs the engine.
  void ExpectRun() { devices_.list.back()->activity()->ExpectRun(); }
  std::vector<MaceTensorInfo> StateInfos() const;
  Status ResetState();
  Status GetState(std::map<std::string, MaceTensor>* states) const;
  Status SetState(const std::map<std::string, MaceTensor>& states);
  std::vector<MaceTensorInfo> Infos(bool of_inputs) const;
  Status Dump(const std::string& stage, std::string* text) const;
  Status GetMemoryUsage(MaceMemoryUsage* usage) const;
  Status GetDeviceCounts(MaceDeviceCounts* counts) const;
  Status GetGPUHandles(MaceGPUHandles* handles) const;
  // Plans for inputs of these shapes; inputs that are not named keep theirs.
  // Only for an engine that was initialized with `query_only`. Errors: as Run.
  Status PlanFor(const std::map<std::string, std::vector<int64_t>>& shapes);
  // Returns the bytes of an arena that suffices for all shapes planned so far.
  size_t arena_bytes() const;
  // Whether any op runs on the device that the config asks for.
  bool RunsOnFirstDevice() const;
  // Null if the arena is the caller's.
  std::shared_ptr<Workspace> shareable_memory() const {
    return has_arena() ? nullptr : workspace_;
  }

 private:
  // Whether the arena is the caller's.
  bool has_arena() const { return kHasArena && config_.arena != nullptr; }
  // Plans, but has no arena.
  bool is_query() const { return kHasArena && query_only_; }
  // Errors: MACE_RUNTIME_ERROR in a fork of the process that created the
  // engine, if a device other than the CPU is needed.
  Status CheckForked() const;
  // Run with the states as inputs and outputs, then with float32 for codes.
  // Each REQUIRES: mutex_ is held.
  Status RunWithStates(const std::map<std::string, MaceTensor>& inputs,
                       std::map<std::string, MaceTensor>* outputs,
                       const MaceCancellation* cancellation,
                       RunMetadata* metadata);
  Status RunOnReals(const std::map<std::string, MaceTensor>& inputs,
                    std::map<std::string, MaceTensor>* outputs,
                    const MaceCancellation* cancellation,
                    RunMetadata* metadata);
  // Run with tensors of the types that the model has. REQUIRES: mutex_ is held.
  Status RunOnTypes(const std::map<std::string, MaceTensor>& inputs,
                    std::map<std::string, MaceTensor>* outputs,
                    const MaceCancellation* cancellation,
                    RunMetadata* metadata);
  // Run of a model that waits for data, with the plan for its input shapes.
  // REQUIRES: mutex_ is held.
  Status RunFlow(Executor& first,
                 const std::map<std::string, MaceTensor>& inputs,
                 std::map<std::string, MaceTensor>* outputs,
                 const MaceCancellation* cancellation, RunMetadata* metadata);
  class Host;
  // Returns memory for an output of such a model: the caller's, if it is large
  // enough, or new memory.
  Result<void*> FlowOutput(int id, const TensorType& type,
                           std::map<std::string, MaceTensor>& outputs);
  // Makes the executor for these shapes the latest one, and creates it first if
  // there is none.
  Status UseShapes(const std::vector<Shape>& shapes);
  // Sets workspace_, budget_ and sections_, as config_ says.
  Status ChooseMemory();
  // Makes the plan before the first Run. Of a model with open dimensions that
  // have no largest extents, it is for the smallest ones that the model takes.
  Status PlanFirst();
  Status AddExecutor(const std::vector<Shape>& shapes);
  // REQUIRES: mutex_ is held.
  MaceMemoryUsage Usage() const;
  // Returns the error that says how many bytes these shapes need, if they do
  // not fit into the caller's arena.
  Status ArenaTooSmall(const std::vector<Shape>& shapes);
  Result<std::unique_ptr<Executor>> MakeExecutor(
      const std::vector<Shape>& shapes) const;
  Result<std::unique_ptr<Plan>> PlanGraph(
      const std::vector<Shape>& shapes) const;
  // `as_declared`: it is the whole model, with its own input shapes. `like` is
  // that of a plan of `graph` with other shapes, or null.
  Result<std::unique_ptr<Plan>> PlanOf(
      Graph graph, bool as_declared,
      std::shared_ptr<const MemoryPattern> like) const;
  // Makes an executor for a part of the model, which has its memory already.
  Result<std::unique_ptr<Executor>> MakePart(
      Graph graph, std::shared_ptr<const MemoryPattern> like);
  Result<std::unique_ptr<Executor>> ExecutorOf(
      std::unique_ptr<Plan> plan) const;
  // As MakeExecutor; if the driver of another device fails, tries once more on
  // the CPU alone.
  Result<std::unique_ptr<Executor>> MakeExecutorOrFallBack(
      const std::vector<Shape>& shapes);
  // Gives an executor the memory for its next Run, if it has not got it. Each
  // REQUIRES the turn. Errors: MACE_OUT_OF_RESOURCES; those of a driver.
  Status ProvideArena(Executor& executor) const;
  Status ProvideImages(Executor& executor) const;
  Status BindTensors(Executor& executor,
                     const std::map<std::string, MaceTensor>& inputs,
                     const std::map<std::string, MaceTensor>& outputs) const;

  std::shared_ptr<MaceModel> model_;
  MaceEngineConfig::Impl config_;
  Devices devices_;
  bool cpu_only_ = false;    // another device failed
  Graph graph_;              // cut to the inputs and outputs asked for
  OpenShapes open_shapes_;   // those of the model
  bool query_only_ = false;  // is_query
  const uint32_t generation_ = ForkGeneration();  // that created it

  mutable Mutex mutex_;  // guards all members below
  // By the shapes of the inputs. Declared after devices_, because kernels use
  // them until they are destroyed.
  ExecutorCache executors_;
  std::shared_ptr<MemoryBudget> budget_;
  // By id: the memory that FlowOutput allocated last, which it may replace.
  std::map<int, std::weak_ptr<void>> allocated_outputs_;
  States states_;
  // That of the first plan.
  std::shared_ptr<const MemoryPattern> pattern_;
  // The sections of the caller's arena. If the engine allocates its own arena,
  // these count what one of the caller's would hold. Null if this
  // build has none.
  std::shared_ptr<memory::ArenaSections> sections_;
  // Never null after Init. Other engines may use it, too, so that its turn is
  // taken after mutex_.
  std::shared_ptr<Workspace> workspace_;
};

}  // namespace mace

#endif  // MACE_RUNTIME_ENGINE_H_
