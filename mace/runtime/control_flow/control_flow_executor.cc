// Running plans one after the other, with what each learns for the next.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/control_flow/control_flow_executor.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "mace/base/make_shared.h"
#include "mace/base/search.h"
#include "mace/base/str_cat.h"
#include "mace/base/utf8.h"
#include "mace/plan/stages/control_flow.h"
#include "mace/runtime/control_flow/loop_results.h"

namespace mace {
namespace {

ControlFlowStage& StageOf(Executor& executor) {
  std::shared_ptr<ControlFlowStage>& stage = executor.stage();
  if (stage == nullptr) stage = MakeShared<ControlFlowStage>();
  return *stage;
}

// Returns a live value, or a constant of `graph`.
LiveValue Lookup(const Graph& graph, const LiveValues& values, int id) {
  const auto live = values.find(id);
  if (live != values.end()) return live->second;
  const Value& value = graph.values[id];
  return {value.type, value.data, value.owner};
}

bool IsThere(const Graph& graph, const LiveValues& values, int id) {
  return id < 0 || values.count(id) > 0 || graph.values[id].is_constant();
}

// Divides what a plan left into the loops that can run now and what is planned
// after them.
void Split(const DeferredSubgraph& deferred, const LiveValues& values,
           ControlFlowStage& stage) {
  stage.is_split = true;
  stage.after_loops.graph = deferred.graph;
  stage.after_loops.graph.nodes.clear();
  std::vector<bool> made(deferred.graph.values.size());
  for (const GraphNode& g : deferred.graph.nodes) {
    const bool runs =
        g.node.op == "Loop" && AllOf(g.inputs, [&](int id) {
          return id >= 0 && (made[id] || IsThere(deferred.graph, values, id));
        });
    if (!runs) {
      stage.after_loops.graph.nodes.push_back(g);
      continue;
    }
    for (int id : g.outputs) made[id] = true;
    stage.loops.push_back(g);
  }
  stage.loop_caches.resize(stage.loops.size());
  CompleteDeferred(stage.after_loops);
}

// Makes an input of `graph` a constant with a copy of `live`.
Status MakeConstant(const LiveValue& live, Value* value) {
  MACE_ASSIGN_OR_RETURN(
      AlignedBuffer buffer,
      AlignedBuffer::Create(Bytes(live.type), "a shape-determining input"));
  const auto owner = MakeShared<AlignedBuffer>(std::move(buffer));
  if (owner->size() > 0) {
    std::memcpy(owner->data(), live.data, owner->size());
  }
  value->type = live.type;
  value->data = owner->data();
  value->owner = std::shared_ptr<const void>(owner, owner->data());
  return Status();
}

// What only nodes before the deferred ones have read is dropped.
void Release(const Graph& next, const std::vector<int>& outputs,
             LiveValues& values) {
  std::vector<bool> kept(next.values.size());
  for (int id : next.inputs) kept[id] = true;
  for (int id : outputs) kept[id] = true;
  for (auto it = values.begin(); it != values.end();) {
    it = kept[it->first] ? std::next(it) : values.erase(it);
  }
}

Result<int64_t> CountOf(const GraphNode& g, const LiveValue& live) {
  const DataType dtype = live.type.dtype;
  if ((dtype != DataType::kI64 && dtype != DataType::kI32) ||
      NumElements(live.type.shape) != 1) {
    return InvalidModel(Label(g.node), ": its count is ", ToString(live.type),
                        ", it must be one i32 or i64");
  }
  if (dtype == DataType::kI32) return *static_cast<const int32_t*>(live.data);
  return *static_cast<const int64_t*>(live.data);
}

Result<bool> ConditionOf(const GraphNode& g, const LiveValue& live) {
  if (live.type.dtype != DataType::kBool || NumElements(live.type.shape) != 1) {
    return InvalidModel(Label(g.node), ": its condition is ",
                        ToString(live.type), ", it must be one bool");
  }
  return *static_cast<const uint8_t*>(live.data) != 0;
}

constexpr size_t kMaxDeferredValues = size_t{1} << 18;

template <typename T>
Result<LiveValue> Scalar(ReusedBuffers& buffers, DataType dtype, T value) {
  MACE_ASSIGN_OR_RETURN(std::shared_ptr<AlignedBuffer> buffer,
                        buffers.Take(sizeof(T)));
  *static_cast<T*>(buffer->data()) = value;
  return LiveValue{{dtype, {}}, buffer->data(), buffer};
}

}  // namespace

Result<std::shared_ptr<AlignedBuffer>> ReusedBuffers::Take(int64_t bytes) {
  for (std::shared_ptr<AlignedBuffer>& buffer : buffers_) {
    if (buffer.use_count() != 1) continue;
    if (static_cast<int64_t>(buffer->size()) < bytes) {
      *buffer = AlignedBuffer();  // its bytes first
      MACE_ASSIGN_OR_RETURN(
          *buffer, AlignedBuffer::Create(bytes, "a value between plans"));
    }
    return buffer;
  }
  MACE_ASSIGN_OR_RETURN(AlignedBuffer buffer,
                        AlignedBuffer::Create(std::max<int64_t>(bytes, 1),
                                              "a value between plans"));
  buffers_.push_back(MakeShared<AlignedBuffer>(std::move(buffer)));
  return buffers_.back();
}

Status ControlFlowExecutor::Run(Executor& first,
                                const std::vector<int>& outputs, bool is_model,
                                LiveValues& values) {
  Executor* executor = &first;
  while (true) {
    MACE_RETURN_IF_ERROR(RunOne(*executor, is_model, values));
    const DeferredSubgraph* deferred = executor->plan().deferred.get();
    if (deferred == nullptr) return Status();
    // Each plan may take branches in proportion to the one before it.
    if (deferred->graph.values.size() > kMaxDeferredValues) {
      return InvalidModel("the branches that the model takes have more than ",
                          kMaxDeferredValues, " values");
    }
    ControlFlowStage& stage = StageOf(*executor);
    if (!stage.is_split) Split(*deferred, values, stage);
    for (size_t l = 0; l < stage.loops.size(); ++l) {
      MACE_RETURN_IF_ERROR(RunLoop(stage.loops[l], deferred->graph,
                                   stage.loop_caches[l], values));
    }
    if (stage.after_loops.graph.nodes.empty()) return Status();
    MACE_ENSURE(!stage.loops.empty() ||
                !stage.after_loops.shape_determining.empty());
    Release(stage.after_loops.graph, outputs, values);
    MACE_ASSIGN_OR_RETURN(executor, NextOf(stage, values));
  }
}

Status ControlFlowExecutor::RunOne(Executor& executor, bool is_model,
                                   LiveValues& values) {
  const Graph& graph = executor.plan().graph;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    MACE_RETURN_IF_ERROR(executor.BindInput(static_cast<int>(i),
                                            MemoryType::CPU_BUFFER,
                                            values[graph.inputs[i]].data));
  }
  ControlFlowStage& stage = StageOf(executor);
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const int id = graph.outputs[i];
    const TensorType& type = graph.values[id].type;
    void* memory = nullptr;
    if (is_model) {
      MACE_ASSIGN_OR_RETURN(memory, host_.OutputMemory(id, type));
    }
    LiveValue live = {type, memory, nullptr};
    if (memory == nullptr) {
      MACE_ASSIGN_OR_RETURN(const std::shared_ptr<AlignedBuffer> buffer,
                            stage.buffers[id].Take(Bytes(type)));
      memory = buffer->data();
      live = {type, memory, buffer};
    }
    values[id] = std::move(live);
    MACE_RETURN_IF_ERROR(executor.BindOutput(static_cast<int>(i),
                                             MemoryType::CPU_BUFFER, memory));
  }
  return host_.Run(executor);
}

Result<Executor*> ControlFlowExecutor::NextOf(ControlFlowStage& stage,
                                              const LiveValues& values) {
  const DeferredSubgraph& deferred = stage.after_loops;
  const auto determines = [&](int id) {
    return std::binary_search(deferred.shape_determining.begin(),
                              deferred.shape_determining.end(), id);
  };
  std::string key;
  for (int id : deferred.graph.inputs) {
    const LiveValue live = Lookup(deferred.graph, values, id);
    AppendToKey(live.type, &key);
    if (determines(id)) {
      key.append(static_cast<const char*>(live.data), Bytes(live.type));
    }
  }
  if (Executor* found = stage.next.Find(key)) return found;
  Graph graph = deferred.graph;
  graph.inputs.clear();
  for (int id : deferred.graph.inputs) {
    const LiveValue live = Lookup(deferred.graph, values, id);
    if (determines(id)) {
      MACE_RETURN_IF_ERROR(MakeConstant(live, &graph.values[id]));
    } else {
      graph.values[id].type = live.type;
      graph.inputs.push_back(id);
    }
  }
  Result<std::unique_ptr<Executor>> executor = host_.Make(
      std::move(graph), stage.next.latest_pattern(), reshaping_loop_);
  // The shape-determining data come from the caller's inputs.
  if (executor.status() == Status::MACE_INVALID_MODEL &&
      !deferred.shape_determining.empty()) {
    return InvalidArgument(executor.status().information());
  }
  MACE_RETURN_IF_ERROR(executor.status());
  return stage.next.Add(std::move(key), std::move(*executor));
}

Result<Executor*> ControlFlowExecutor::BodyOf(const GraphNode& g,
                                              const Graph& body,
                                              const Graph& graph,
                                              LoopCache& cache,
                                              const LiveValues& values) {
  // A plan of the first iteration may be for other devices.
  std::string key(1, reshaping_loop_.empty() ? '1' : '+');
  for (int id : body.inputs) AppendToKey(values.find(id)->second.type, &key);
  if (Executor* found = cache.bodies.Find(key)) return found;
  Graph made = body;
  made.subgraphs = graph.subgraphs;
  // Outputs that are inputs or weights need no plan.
  std::vector<int> outputs;
  for (int id : body.outputs) {
    if (!IsThere(body, values, id)) outputs.push_back(id);
  }
  made.outputs = std::move(outputs);
  for (int id : made.inputs)
    made.values[id].type = values.find(id)->second.type;
  // Short, as all nodes get it: a file has the name once.
  const std::string loop = ShortText(g.node.name);
  for (GraphNode& node : made.nodes) {
    node.node.name = StrCat(loop, '/', node.node.name);
  }
  MACE_ASSIGN_OR_RETURN(
      std::unique_ptr<Executor> executor,
      host_.Make(std::move(made), cache.bodies.latest_pattern(),
                 reshaping_loop_));
  return cache.bodies.Add(std::move(key), std::move(executor));
}

Status ControlFlowExecutor::Compare(const GraphNode& g, int64_t c, int64_t i,
                                    const TensorType& before,
                                    const TensorType& after) {
  if (after.dtype != before.dtype ||
      !AreEqual(after.quantization, before.quantization)) {
    return InvalidModel(Label(g.node), ": carried value ", c, " is ",
                        ToString(before), ", and ", ToString(after),
                        " after iteration ", i,
                        "; its type and scale must stay");
  }
  if (after.shape != before.shape && reshaping_loop_.empty()) {
    reshaping_loop_ = Label(g.node);
  }
  return Status();
}

Status ControlFlowExecutor::RunLoop(const GraphNode& g, const Graph& graph,
                                    LoopCache& cache, LiveValues& values) {
  // One that reads what another Loop makes was deferred without a check.
  MACE_RETURN_IF_ERROR(CheckLoop(graph, g));
  const Graph& body = *SubgraphOf(graph, g.node, "body");
  const auto carried = static_cast<size_t>(CarriedBy(g.node));
  MACE_ASSIGN_OR_RETURN(const int64_t count,
                        CountOf(g, Lookup(graph, values, g.inputs[0])));
  LiveValue condition = Lookup(graph, values, g.inputs[1]);
  MACE_ASSIGN_OR_RETURN(bool goes_on, ConditionOf(g, condition));
  LiveValues own;
  const auto give = [&](size_t i, LiveValue v) { own[body.inputs[i]] = v; };
  std::vector<LiveValue> last;  // the carried values
  for (size_t c = 0; c < carried; ++c) {
    last.push_back(Lookup(graph, values, g.inputs[c + 2]));
  }
  LoopResults results(g, body.outputs.size() - 1 - carried);
  for (int64_t i = 0;; ++i) {
    const bool runs = goes_on && i < count;
    if (!runs && (i > 0 || results.empty())) break;
    if (runs && iterations_left_-- == 0) {
      return RuntimeError(
          Label(g.node), ": goes on after ", i, " iterations (its count is ",
          count, "), and all loops of the run together had ", most_iterations_,
          "; raise the setting max_loop_iterations if they should");
    }
    own.clear();
    MACE_ASSIGN_OR_RETURN(LiveValue number,
                          Scalar(cache.iteration, DataType::kI64, i));
    give(0, std::move(number));
    give(1, condition);
    for (size_t c = 0; c < carried; ++c) give(c + 2, last[c]);
    for (size_t k = carried + 2; k < g.inputs.size(); ++k) {
      give(k, Lookup(graph, values, g.inputs[k]));
    }
    MACE_ASSIGN_OR_RETURN(Executor * executor,
                          BodyOf(g, body, graph, cache, own));
    if (!runs) {  // only the types of what is stacked are of interest
      MACE_RETURN_IF_ERROR(
          results.AddNone(executor->plan(), body, own, carried + 1));
      break;
    }
    std::vector<LiveValue> before = std::move(last);
    last.clear();
    MACE_RETURN_IF_ERROR(Run(*executor, body.outputs, false, own));
    condition = Lookup(body, own, body.outputs[0]);
    MACE_ASSIGN_OR_RETURN(goes_on, ConditionOf(g, condition));
    for (size_t c = 0; c < carried; ++c) {
      last.push_back(Lookup(body, own, body.outputs[c + 1]));
      MACE_RETURN_IF_ERROR(
          Compare(g, static_cast<int64_t>(c), i, before[c].type, last[c].type));
    }
    MACE_RETURN_IF_ERROR(results.Add(body, own, carried + 1));
  }
  if (reshaping_loop_ == Label(g.node)) reshaping_loop_.clear();
  for (size_t c = 0; c < carried; ++c) values[g.outputs[c]] = last[c];
  return results.Finish(carried, values);
}

}  // namespace mace
