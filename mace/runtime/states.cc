// Keeping, reading and writing the states of an engine.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/states.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "mace/base/fp16.h"
#include "mace/base/str_cat.h"
#include "mace/runtime/mace_model.h"

namespace mace {
namespace {

// Copies the elements of a weight, which may be stored in 16 bits.
void CopyWeight(const Value& weight, void* to) {
  const int64_t count = NumElements(weight.type.shape);
  const auto* bits = static_cast<const uint16_t*>(weight.data);
  if (weight.stored == DataType::kF16) {
    WidenFp16(bits, count, static_cast<float*>(to));
  } else if (weight.stored == DataType::kBF16) {
    WidenBfloat16s(bits, count, static_cast<float*>(to));
  } else if (count > 0) {
    std::memcpy(to, weight.data, static_cast<size_t>(Bytes(weight.type)));
  }
}

}  // namespace

Status States::AddTo(const std::vector<StateVariable>& states, Graph* graph) {
  for (const StateVariable& ids : states) {
    State state;
    state.ids = ids;
    state.name = graph->values[ids.value].name;
    state.next_name = graph->values[ids.next].name;
    state.type = graph->values[ids.value].type;
    if (std::count(graph->outputs.begin(), graph->outputs.end(), ids.next) >
        0) {
      return InvalidArgument("output_nodes names '", state.next_name,
                             "', which becomes the state '", state.name,
                             "'; read it by GetState after a run");
    }
    states_.push_back(std::move(state));
  }
  AddStates(states, graph);
  return Status();
}

Status States::Allocate(const Graph& graph) {
  for (State& state : states_) {
    if (state.ids.initial >= 0) {
      state.initial = &graph.values[state.ids.initial];
    }
    for (auto& buffer : state.buffers) {
      MACE_ASSIGN_OR_RETURN(
          AlignedBuffer bytes,
          AlignedBuffer::Create(static_cast<size_t>(Bytes(state.type)),
                                "a state"));
      buffer = std::make_shared<AlignedBuffer>(std::move(bytes));
    }
  }
  Reset();
  return Status();
}

int64_t States::bytes() const {
  int64_t bytes = 0;
  for (const State& state : states_) bytes += Bytes(state.type);
  return bytes;
}

std::vector<MaceTensorInfo> States::Infos() const {
  std::vector<MaceTensorInfo> infos;
  for (const State& state : states_) {
    infos.push_back({state.name, state.type.shape, ToPublic(state.type.dtype),
                     DataFormat::NONE, ScaleOf(state.type),
                     ZeroPointOf(state.type)});
  }
  return infos;
}

std::string States::Dump() const {
  std::string text;
  for (const State& state : states_) {
    text += StrCat("state ", state.name, " ", ToString(state.type), ", ",
                   Bytes(state.type), " bytes, from ", state.next_name, '\n');
  }
  return text;
}

Status States::OtherType(const State& state, const TensorType& next) {
  return InvalidArgument(
      "state '", state.name, "' is ", ToString(state.type),
      " and keeps its shape, but with these inputs its next value '",
      state.next_name, "' is ", ToString(next),
      "; give inputs of the model's own shapes, or convert the model for "
      "these");
}

Status States::CheckTypes(const Graph& graph) const {
  for (const int id : graph.outputs) {
    const Value& value = graph.values[id];
    for (const State& state : states_) {
      if (state.next_name == value.name && !(state.type == value.type)) {
        return OtherType(state, value.type);
      }
    }
  }
  return Status();
}

Status States::CheckWritten(const Tensors& outputs) const {
  for (const State& state : states_) {
    const MaceTensor& next = outputs.find(state.next_name)->second;
    const DataType dtype = FromPublic(next.data_type());
    if (dtype != state.type.dtype || next.shape() != state.type.shape) {
      return OtherType(state, {dtype, next.shape()});
    }
  }
  return Status();
}

Status States::AddTensors(Tensors* inputs, Tensors* outputs) const {
  for (const State& state : states_) {
    if (!inputs->emplace(state.name, TensorOf(state, current_)).second) {
      return InvalidArgument("'", state.name,
                             "' is no input but a state, which the engine "
                             "keeps; set it by SetState");
    }
    if (!outputs->emplace(state.next_name, TensorOf(state, 1 - current_))
             .second) {
      return InvalidArgument("'", state.next_name,
                             "' is no output, it becomes the state '",
                             state.name, "'; read it by GetState");
    }
  }
  return Status();
}

void States::RemoveFrom(Tensors* outputs) const {
  for (const State& state : states_) outputs->erase(state.next_name);
}

void States::Reset() {
  for (State& state : states_) {
    void* const value = state.buffers[current_]->data();
    if (state.initial != nullptr) {
      CopyWeight(*state.initial, value);
    } else if (Bytes(state.type) > 0) {
      std::memset(value, 0, static_cast<size_t>(Bytes(state.type)));
    }
  }
}

const States::State* States::Find(const std::string& name) const {
  const auto it =
      std::find_if(states_.begin(), states_.end(),
                   [&](const State& state) { return state.name == name; });
  return it == states_.end() ? nullptr : &*it;
}

std::string States::Names() const {
  std::string names;
  for (const State& state : states_) {
    names += StrCat(names.empty() ? "'" : ", '", state.name, "'");
  }
  return names.empty() ? "none" : names;
}

Result<const States::State*> States::FindFor(const std::string& name,
                                             const MaceTensor& tensor) const {
  const State* const state = Find(name);
  if (state == nullptr) {
    return InvalidArgument("there is no state named '", name,
                           "'; the states are ", Names());
  }
  if (tensor.memory_type() != MemoryType::CPU_BUFFER) {
    return InvalidArgument("state '", name,
                           "' is copied from and to host memory only");
  }
  const DataType dtype = FromPublic(tensor.data_type());
  if (dtype != state->type.dtype || tensor.shape() != state->type.shape) {
    return InvalidArgument("state '", name, "' is ", ToString(state->type),
                           ", the tensor given is ", Name(dtype),
                           ToString(tensor.shape()));
  }
  return state;
}

MaceTensor States::TensorOf(const State& state, int buffer) const {
  const std::shared_ptr<AlignedBuffer>& owner = state.buffers[buffer];
  return MaceTensor(state.type.shape,
                    std::shared_ptr<void>(owner, owner->data()),
                    ToPublic(state.type.dtype));
}

Status States::Get(Tensors* states) const {
  if (states->empty()) {
    for (const State& state : states_) {
      (*states)[state.name] =
          MaceTensor(state.type.shape, nullptr, ToPublic(state.type.dtype));
    }
  }
  for (const auto& [name, tensor] : *states) {
    if (tensor.raw_data() == nullptr && Find(name) != nullptr) continue;
    MACE_RETURN_IF_ERROR(FindFor(name, tensor).status());
  }
  for (auto& [name, tensor] : *states) {
    const State& state = *Find(name);
    const auto bytes = static_cast<size_t>(Bytes(state.type));
    if (tensor.raw_data() == nullptr) {
      MACE_ASSIGN_OR_RETURN(AlignedBuffer memory,
                            AlignedBuffer::Create(bytes, "a copy of a state"));
      const auto owner = std::make_shared<AlignedBuffer>(std::move(memory));
      tensor = MaceTensor(state.type.shape,
                          std::shared_ptr<void>(owner, owner->data()),
                          ToPublic(state.type.dtype));
    }
    if (bytes == 0) continue;
    std::memcpy(tensor.raw_data().get(), state.buffers[current_]->data(),
                bytes);
  }
  return Status();
}

Status States::Set(const Tensors& states) {
  for (const auto& [name, tensor] : states) {
    MACE_ASSIGN_OR_RETURN(const State* state, FindFor(name, tensor));
    if (tensor.raw_data() == nullptr && Bytes(state->type) > 0) {
      return InvalidArgument("state '", name, "' is given no data");
    }
  }
  for (const auto& [name, tensor] : states) {
    const State& state = *Find(name);
    if (Bytes(state.type) == 0) continue;
    std::memcpy(state.buffers[current_]->data(), tensor.raw_data().get(),
                static_cast<size_t>(Bytes(state.type)));
  }
  return Status();
}

}  // namespace mace
