// ControlFlowExecutor: runs a plan that waits for data, those that follow, and
// loops.
// SPDX-License-Identifier: Apache-2.0
//
//   plan | data | deferred plan | loop: its body's plans ... | data | ...
//
// What a plan defers (mace/plan/types/deferred_subgraph.h) is planned when the
// data are there, and kept for the next time that they are the same. All plans
// run in one arena, one after the other. What one reads of another lies in
// buffers that are reused from run to run.
#ifndef MACE_RUNTIME_CONTROL_FLOW_CONTROL_FLOW_EXECUTOR_H_
#define MACE_RUNTIME_CONTROL_FLOW_CONTROL_FLOW_EXECUTOR_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/base/status.h"
#include "mace/runtime/executor/executor.h"
#include "mace/runtime/executor/executor_cache.h"

namespace mace {

// What control flow needs of the engine.
class ControlFlowHost {
 public:
  virtual ~ControlFlowHost() = default;
  // Plans a part of the model. `like` is that of a plan of the same part with
  // other shapes or other shape-determining inputs, or null. `reshaping_loop`
  // is the label of a Loop around it that needs a plan in each iteration, as
  // the shapes of what it carries change, or empty.
  virtual Result<std::unique_ptr<Executor>> Make(
      Graph graph, std::shared_ptr<const MemoryPattern> like,
      const std::string& reshaping_loop) = 0;
  // Gives the executor its memory and runs it.
  virtual Status Run(Executor& executor) = 0;
  // Returns the memory for output `id` of the model, the caller's or new; null
  // if `id` is no output of the model.
  virtual Result<void*> OutputMemory(int id, const TensorType& type) = 0;
};

// A value between plans, in host memory. The bytes are there as long as
// `owner`, or as the caller's tensor or the model.
struct LiveValue {
  TensorType type;
  const void* data = nullptr;
  std::shared_ptr<const void> owner;  // null: the caller, or a weight's model
};
using LiveValues = std::map<int, LiveValue>;  // by id

// Buffers of one value, of which each is used again when nothing holds it. A
// Loop that carries a value needs two: an iteration reads one and writes the
// other.
class ReusedBuffers {
 public:
  // Returns a buffer of at least `bytes` bytes, whose contents are undefined.
  // Errors: MACE_OUT_OF_RESOURCES.
  Result<std::shared_ptr<AlignedBuffer>> Take(int64_t bytes);

 private:
  std::vector<std::shared_ptr<AlignedBuffer>> buffers_;
};

// The most plans that are cached: of those that follow one plan, and of the
// body of one Loop.
constexpr size_t kMaxNextPlans = 8;

// What an engine keeps for the bodies of a Loop.
struct LoopCache {
  ExecutorCache bodies{kMaxNextPlans};
  ReusedBuffers iteration, condition;
};

// What an executor of a ControlFlowExecutor has besides its plan.
struct ControlFlowStage {
  std::map<int, ReusedBuffers> buffers;  // by id of an output
  // Set by the first run, which knows which loops have all of their inputs;
  // these fields then stay.
  bool is_split = false;
  std::vector<GraphNode> loops;        // run before the next plan
  std::vector<LoopCache> loop_caches;  // by loop
  DeferredSubgraph after_loops;        // what is planned then
  ExecutorCache next{kMaxNextPlans};
};

// Runs a model once.
class ControlFlowExecutor {
 public:
  // `most_iterations`: of all loops of this run together. Nothing is owned.
  ControlFlowExecutor(ControlFlowHost* host, int64_t most_iterations)
      : host_(*host),
        most_iterations_(most_iterations),
        iterations_left_(most_iterations) {}

  // Runs `first` and what follows. `values` holds the inputs of the plan of
  // `first`, and afterwards also the values `outputs` (ids), but for constants
  // of a loop's body. `is_model`: they are those of the model, in memory of
  // ControlFlowHost::OutputMemory if a plan made them; else of a loop's body.
  // Errors: as planning and Executor::Run; MACE_INVALID_ARGS, naming the node,
  // if data do not fit a deferred node; MACE_INVALID_MODEL for a count, a
  // condition, a carried value or a stacked result of another type;
  // MACE_RUNTIME_ERROR if the loops take more than `most_iterations`.
  Status Run(Executor& first, const std::vector<int>& outputs, bool is_model,
             LiveValues& values);

 private:
  // Binds the inputs and outputs of one plan and runs it. Outputs of the model
  // go to the caller's memory, others to buffers of the stage.
  Status RunOne(Executor& executor, bool is_model, LiveValues& values);
  // Runs the body until the condition is false or the count is reached. The
  // body reads (iteration number, condition, carried values..., values that
  // stay) and makes (condition, carried values..., results to be stacked...):
  //
  //   condition, carried --> body --> condition, carried --> body --> ...
  //                           |                               |
  //                           +--> result 0                   +--> result 1
  Status RunLoop(const GraphNode& g, const Graph& graph, LoopCache& cache,
                 LiveValues& values);
  // Notes whether the shape of carried value `c` changed in iteration `i`.
  // Errors: MACE_INVALID_MODEL, naming the node, if its element type did.
  Status Compare(const GraphNode& g, int64_t c, int64_t i,
                 const TensorType& before, const TensorType& after);
  // Returns the executor of what the stage has deferred, for the types of its
  // inputs and the contents of those that determine shapes; plans if it is not
  // cached.
  Result<Executor*> NextOf(ControlFlowStage& stage, const LiveValues& values);
  // The same for an iteration of a Loop, by the types of what the body reads.
  Result<Executor*> BodyOf(const GraphNode& g, const Graph& body,
                           const Graph& graph, LoopCache& cache,
                           const LiveValues& values);

  ControlFlowHost& host_;
  const int64_t most_iterations_;
  int64_t iterations_left_;
  // The label of the running Loop whose carried shapes were the first to
  // change; empty: there is none.
  std::string reshaping_loop_;
};

}  // namespace mace

#endif  // MACE_RUNTIME_CONTROL_FLOW_CONTROL_FLOW_EXECUTOR_H_
