// Determines events by reference counts, and offsets by replaying the events.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/testing/compat/sequential_arena_planner.h"

#include <string>
#include <utility>

#include "mace/base/str_cat.h"
#include "mace/memory/offsets/sequential_layout.h"

namespace mace::memory {
namespace {

class SequentialPlanner {
 public:
  SequentialPlanner(const ArenaGraph& graph,
                    const SequentialArenaSettings& settings)
      : graph_(graph), settings_(settings) {}

  SequentialArenaPlan Run() {
    const size_t num_tensors = graph_.tensor_bytes.size();
    is_allocated_.assign(num_tensors, false);
    plan_.offsets.assign(num_tensors, kNoOffset);
    CountReferences();
    for (int32_t tensor : graph_.inputs) Allocate(0, tensor);
    for (int32_t tensor : graph_.variables) Allocate(0, tensor);
    for (size_t op = 0; op < graph_.ops.size(); ++op) {
      PlanOp(static_cast<int32_t>(op));
    }
    PlaceTensors();
    return std::move(plan_);
  }

 private:
  // An extra reference, which no op drops, keeps a tensor to the end.
  void CountReferences() {
    references_.assign(graph_.tensor_bytes.size(), 0);
    const auto count = [&](const std::vector<int32_t>& tensors) {
      for (int32_t tensor : tensors) {
        if (tensor != kOptionalTensor) ++references_[tensor];
      }
    };
    count(graph_.outputs);
    if (settings_.preserve_inputs) count(graph_.inputs);
    for (const ArenaGraph::Op& op : graph_.ops) count(op.inputs);
  }

  void PlanOp(int32_t id) {
    const ArenaGraph::Op& op = graph_.ops[id];
    if (id > 0) {
      for (int32_t tensor : graph_.ops[id - 1].temporaries) Release(id, tensor);
    }
    for (int32_t tensor : op.temporaries) Allocate(id, tensor);
    for (int32_t tensor : op.outputs) Allocate(id, tensor);
    for (int32_t tensor : op.inputs) {
      if (tensor == kOptionalTensor) continue;
      if (--references_[tensor] == 0) Release(id, tensor);
    }
  }

  // Does nothing if the tensor is already allocated.
  void Allocate(int32_t op, int32_t tensor) {
    if (tensor == kOptionalTensor || is_allocated_[tensor]) return;
    is_allocated_[tensor] = true;
    plan_.events.push_back({op, tensor, true});
  }

  // Does nothing if the tensor was never allocated, as constants are not.
  void Release(int32_t op, int32_t tensor) {
    if (tensor == kOptionalTensor || !is_allocated_[tensor] ||
        settings_.preserve_intermediates) {
      return;
    }
    is_allocated_[tensor] = false;
    plan_.events.push_back({op, tensor, false});
  }

  void PlaceTensors() {
    SequentialLayout arena, persistent;
    for (const SequentialArenaPlan::Event& event : plan_.events) {
      const auto bytes =
          static_cast<int64_t>(graph_.tensor_bytes[event.tensor]);
      const TensorClass kind = graph_.tensor_class[event.tensor];
      int64_t& offset = plan_.offsets[event.tensor];
      if (bytes == 0) continue;
      if (kind == TensorClass::kArena) {
        if (event.allocates) {
          offset = arena.Allocate(settings_.tensor_alignment, bytes);
        } else {
          arena.Release(offset);
        }
      } else if (kind == TensorClass::kPersistent && event.allocates) {
        offset = persistent.Allocate(settings_.tensor_alignment, bytes);
      }
    }
    plan_.arena_bytes = arena.high_water();
    plan_.persistent_bytes = persistent.high_water();
  }

  const ArenaGraph& graph_;
  const SequentialArenaSettings& settings_;
  SequentialArenaPlan plan_;
  std::vector<int> references_;     // by tensor
  std::vector<bool> is_allocated_;  // by tensor
};

Status CheckTensors(const ArenaGraph& graph, const std::vector<int32_t>& ids,
                    const std::string& where) {
  const auto num_tensors = static_cast<int64_t>(graph.tensor_bytes.size());
  for (int32_t tensor : ids) {
    if (tensor >= kOptionalTensor && tensor < num_tensors) continue;
    return InvalidArgument(where, ": there is no tensor ", tensor, " among ",
                           num_tensors);
  }
  return Status();
}

Status CheckGraph(const ArenaGraph& graph) {
  MACE_RETURN_IF_ERROR(CheckTensors(graph, graph.inputs, "graph inputs"));
  MACE_RETURN_IF_ERROR(CheckTensors(graph, graph.outputs, "graph outputs"));
  MACE_RETURN_IF_ERROR(CheckTensors(graph, graph.variables, "variables"));
  for (int32_t tensor : graph.variables) {
    if (tensor == kOptionalTensor ||
        graph.tensor_class[tensor] == TensorClass::kPersistent) {
      continue;
    }
    return InvalidArgument("variable ", tensor,
                           " is not persistent: its bytes would not last from "
                           "one run to the next");
  }
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const ArenaGraph::Op& op = graph.ops[i];
    const std::string where = StrCat("op ", i);
    for (const auto* ids : {&op.inputs, &op.outputs, &op.temporaries}) {
      MACE_RETURN_IF_ERROR(CheckTensors(graph, *ids, where));
    }
  }
  return Status();
}

}  // namespace

Result<SequentialArenaPlan> PlanSequentialArena(
    const ArenaGraph& graph, const SequentialArenaSettings& settings) {
  MACE_RETURN_IF_ERROR(CheckGraph(graph));
  return SequentialPlanner(graph, settings).Run();
}

}  // namespace mace::memory
