// Keeping, reading and writing the states of an engine.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/io/states.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "mace/base/make_shared.h"
#include "mace/base/search.h"
#include "mace/base/str_cat.h"
#include "mace/graph/stored_weight.h"
#include "mace/model/open_dims.h"
#include "mace/plan/passes/append_to_state.h"
#include "mace/plan/passes/remove_dead_nodes.h"
#include "mace/runtime/model/mace_model.h"

namespace mace {
namespace {

// Copies the elements of a weight, which may be stored in another type.
void CopyWeight(const Value& weight, void* to) {
  const auto bytes = static_cast<size_t>(Bytes(weight.type));
  if (weight.stored != DataType::kInvalid) {
    WidenStored(OperandOf(weight), static_cast<float*>(to));
  } else if (bytes > 0) {
    std::memcpy(to, weight.data, bytes);
  }
}

}  // namespace

bool States::grow() const {
  return AnyOf(states_, [](const State& state) { return state.grows(); });
}

bool States::Takes(const State& state, const TensorType& type) {
  if (!state.grows()) {
    return type.dtype == state.type.dtype && type.shape == state.type.shape;
  }
  return type.dtype == state.type.dtype && MayBe(state.open, type.shape);
}

Shape States::FirstShape(const State& state) {
  if (state.initial != nullptr) return state.initial->type.shape;
  Shape shape = state.open.dims;
  std::replace(shape.begin(), shape.end(), int64_t{-1}, int64_t{0});
  return shape;
}

Status States::Allocate(State& state, const Shape& shape) {
  const TensorType type = {state.type.dtype, shape};
  const auto bytes = static_cast<size_t>(Bytes(type));
  MACE_ASSIGN_OR_RETURN(
      AlignedBuffer buffer,
      AlignedBuffer::Create(std::max<size_t>(bytes, 1), "a state"));
  MakeZeros(buffer.data(), bytes);
  state.buffers[0] = MakeShared<AlignedBuffer>(std::move(buffer));
  state.grown = nullptr;
  state.type.shape = shape;
  return Status();
}

void* States::DataOf(const State& state) const {
  if (!state.grows()) {
    return state.buffers[state.in_place ? 0 : current_]->data();
  }
  return state.grown != nullptr ? state.grown.get() : state.buffers[0]->data();
}

Status States::AddTo(const std::vector<StateVariable>& states,
                     const std::map<int, OpenDims>& open, Graph* graph) {
  for (const StateVariable& ids : states) {
    State state;
    state.ids = ids;
    state.name = graph->values[ids.value].name;
    state.next_name = graph->values[ids.next].name;
    state.type = graph->values[ids.value].type;
    const auto found = open.find(ids.value);
    if (found != open.end()) {
      state.open = found->second;
      if (ids.initial >= 0) state.initial = &graph->values[ids.initial];
      state.type.shape = FirstShape(state);
      graph->values[ids.value].type.shape = state.type.shape;
    }
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

void States::GrowInPlace(Graph* graph) {
  if (!empty()) RemoveDeadNodes(*graph);  // they read nothing
  for (State& state : states_) {
    if (state.grows()) {
      state.cache.AddTo(state.ids, state.open, graph);
    } else {
      state.in_place =
          IsUpdatedInPlace(state.ids.value, state.ids.next, *graph);
    }
  }
}

size_t States::CountTensors() const {
  return states_.size() +
         std::count_if(states_.begin(), states_.end(),
                       [](const State& s) { return s.cache.exists(); });
}

Status States::Allocate(const Graph& graph) {
  for (State& state : states_) {
    if (state.ids.initial >= 0) {
      state.initial = &graph.values[state.ids.initial];
    }
    if (state.grows()) continue;
    for (auto& buffer : state.buffers) {
      if (state.in_place && &buffer != state.buffers) continue;
      MACE_ASSIGN_OR_RETURN(
          AlignedBuffer bytes,
          AlignedBuffer::Create(static_cast<size_t>(Bytes(state.type)),
                                "a state"));
      buffer = MakeShared<AlignedBuffer>(std::move(bytes));
    }
  }
  return Reset();
}

int64_t States::bytes() const {
  int64_t bytes = 0;
  for (const State& state : states_) bytes += Bytes(state.type);
  return bytes;
}

int64_t States::held_bytes() const {
  int64_t bytes = 0;
  for (const State& state : states_) {
    bytes += state.cache.exists()
                 ? state.cache.bytes()
                 : (state.in_place ? 1 : 2) * Bytes(state.type);
  }
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
                   Bytes(state.type), " bytes, from ", state.next_name);
    if (state.cache.exists()) {
      text += StrCat(", in place, with capacity for ", state.cache.capacity(),
                     " along axis ", state.cache.axis(), ", ",
                     state.cache.bytes(), " bytes");
    }
    if (state.in_place) text += ", in place";
    text += '\n';
  }
  return text;
}

Status States::OtherType(const State& state, const TensorType& next) {
  if (state.grows()) {
    return InvalidArgument(
        "state '", state.name, "' may be ", ToString(state.open.dims),
        " (-1: any extent",
        state.open.most.empty()
            ? ""
            : StrCat(", at most those of ", ToString(state.open.most)),
        "), but its next value '", state.next_name, "' is ", ToString(next),
        "; ResetState gives it its first value");
  }
  return InvalidArgument(
      "state '", state.name, "' is ", ToString(state.type),
      " and keeps its shape, but with these inputs its next value '",
      state.next_name, "' is ", ToString(next),
      "; give inputs of the model's own shapes, or convert the model for "
      "these");
}

TensorType States::NextOf(const State& state, int64_t rows) {
  TensorType next = state.type;
  next.shape[state.cache.axis()] = rows;
  return next;
}

Status States::CheckTypes(const Graph& graph) const {
  for (const State& state : states_) {
    if (!state.cache.exists()) continue;
    const int64_t rows = RowsOfState(graph, state.cache.next_name());
    if (rows < 0) continue;
    const TensorType next = NextOf(state, rows);
    if (!Takes(state, next)) return OtherType(state, next);
  }
  for (const int id : graph.outputs) {
    const Value& value = graph.values[id];
    for (const State& state : states_) {
      if (state.next_name != value.name || state.cache.exists()) continue;
      if (state.grows() ? !Takes(state, value.type)
                        : !(state.type == value.type)) {
        return OtherType(state, value.type);
      }
    }
  }
  return Status();
}

Status States::CheckWritten(const Tensors& outputs) const {
  for (const State& state : states_) {
    if (state.cache.exists()) {
      const TensorType next = NextOf(state, state.cache.count());
      if (!Takes(state, next)) return OtherType(state, next);
      continue;
    }
    const MaceTensor& next = outputs.find(state.next_name)->second;
    const DataType dtype = FromPublic(next.data_type());
    if (!Takes(state, {dtype, next.shape()})) {
      return OtherType(state, {dtype, next.shape()});
    }
  }
  return Status();
}

Status States::AddTensors(Tensors* inputs, Tensors* outputs) const {
  for (const State& state : states_) {
    const MaceTensor value = state.cache.exists()
                                 ? state.cache.Value(state.type.shape)
                                 : TensorOf(state, current_);
    if (!inputs->emplace(state.name, value).second) {
      return InvalidArgument("'", state.name,
                             "' is no input but a state, which the engine "
                             "keeps; set it by SetState");
    }
    if (outputs->count(state.next_name) > 0) {
      return InvalidArgument("'", state.next_name,
                             "' is no output, it becomes the state '",
                             state.name, "'; read it by GetState");
    }
    if (!state.cache.exists()) {
      (*outputs)[state.next_name] =
          state.grows() ? MaceTensor() : TensorOf(state, 1 - current_);
      continue;
    }
    const std::string taken = state.cache.AddTensors(inputs, outputs);
    if (!taken.empty()) {
      return InvalidArgument(
          "'", taken, "' is the engine's own, for the state '", state.name,
          "'; read it by GetState and set it by "
          "SetState");
    }
  }
  return Status();
}

bool States::Outgrows(const std::string& name, const Shape& shape) const {
  return AnyOf(states_, [&](const State& state) {
    return state.cache.exists() && state.cache.next_name() == name &&
           state.cache.shape() != shape;
  });
}

void States::RemoveFrom(Tensors* outputs) const {
  for (const State& state : states_) {
    if (state.cache.exists()) {
      state.cache.RemoveFrom(outputs);
    } else {
      outputs->erase(state.next_name);
    }
  }
}

void States::Advance(const Tensors& outputs) {
  current_ = 1 - current_;
  for (State& state : states_) {
    if (state.cache.exists()) {
      state.type = NextOf(state, state.cache.Advance(outputs));
      continue;
    }
    if (!state.grows()) continue;
    const MaceTensor& next = outputs.find(state.next_name)->second;
    state.type.shape = next.shape();
    state.grown = next.raw_data();
  }
}

Status States::Reset() {
  // No state changes if there is not memory for all of them.
  std::vector<State> reset = states_;
  std::vector<AlignedBuffer> values(reset.size());  // of those with caches
  for (size_t i = 0; i < reset.size(); ++i) {
    State& state = reset[i];
    if (!state.grows()) continue;
    const Shape shape = FirstShape(state);
    if (!state.cache.exists()) {
      MACE_RETURN_IF_ERROR(Allocate(state, shape));
      continue;
    }
    state.type.shape = shape;
    MACE_RETURN_IF_ERROR(state.cache.Reserve(shape[state.cache.axis()]));
    const auto bytes = static_cast<size_t>(Bytes(state.type));
    if (bytes == 0) continue;
    MACE_ASSIGN_OR_RETURN(
        values[i], AlignedBuffer::Create(bytes, "the first value of a state"));
  }
  states_ = std::move(reset);
  for (size_t i = 0; i < states_.size(); ++i) {
    State& state = states_[i];
    const bool caches = state.cache.exists();
    if (caches && values[i].data() == nullptr) continue;
    void* const value = caches ? values[i].data() : DataOf(state);
    if (state.initial != nullptr) {
      CopyWeight(*state.initial, value);
    } else {
      MakeZeros(value, static_cast<size_t>(Bytes(state.type)));
    }
    if (caches) state.cache.Write(value, state.type.shape);
  }
  return Status();
}

const States::State* States::Find(const std::string& name) const {
  const auto it =
      FindIf(states_, [&](const State& state) { return state.name == name; });
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
  if (!Takes(*state, {dtype, tensor.shape()})) {
    return InvalidArgument("state '", name, "' is ", ToString(state->type),
                           state->grows() ? " and may grow" : "",
                           ", the tensor given is ", Name(dtype),
                           ToString(tensor.shape()));
  }
  return state;
}

MaceTensor States::TensorOf(const State& state, int buffer) const {
  if (state.grown != nullptr) {
    return MaceTensor(state.type.shape, state.grown,
                      ToPublic(state.type.dtype));
  }
  if (state.grows() || state.in_place) buffer = 0;
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
    MACE_ASSIGN_OR_RETURN(const State* state, FindFor(name, tensor));
    if (tensor.shape() == state->type.shape) continue;
    return InvalidArgument("state '", name, "' is ", ToString(state->type),
                           " now, the tensor given has ",
                           ToString(tensor.shape()));
  }
  for (auto& [name, tensor] : *states) {
    const State& state = *Find(name);
    const auto bytes = static_cast<size_t>(Bytes(state.type));
    if (tensor.raw_data() == nullptr) {
      MACE_ASSIGN_OR_RETURN(AlignedBuffer memory,
                            AlignedBuffer::Create(bytes, "a copy of a state"));
      const auto owner = MakeShared<AlignedBuffer>(std::move(memory));
      tensor = MaceTensor(state.type.shape,
                          std::shared_ptr<void>(owner, owner->data()),
                          ToPublic(state.type.dtype));
    }
    if (bytes == 0) continue;
    if (state.cache.exists()) {
      state.cache.Read(state.type.shape, tensor.raw_data().get());
    } else {
      std::memcpy(tensor.raw_data().get(), DataOf(state), bytes);
    }
  }
  return Status();
}

Status States::Set(const Tensors& states) {
  for (const auto& [name, tensor] : states) {
    MACE_ASSIGN_OR_RETURN(const State* state, FindFor(name, tensor));
    MACE_ASSIGN_OR_RETURN(const int64_t bytes,
                          CheckedBytes({state->type.dtype, tensor.shape()}));
    if (tensor.raw_data() == nullptr && bytes > 0) {
      return InvalidArgument("state '", name, "' is given no data");
    }
  }
  // No state changes if there is not memory for all of them.
  std::vector<State> resized = states_;
  for (State& state : resized) {
    const auto given = states.find(state.name);
    if (given == states.end()) continue;
    const Shape& shape = given->second.shape();
    if (state.cache.exists()) {
      MACE_RETURN_IF_ERROR(state.cache.Reserve(shape[state.cache.axis()]));
      state.type.shape = shape;
    } else if (state.grows()) {
      MACE_RETURN_IF_ERROR(Allocate(state, shape));
    }
  }
  for (size_t i = 0; i < states_.size(); ++i) {
    State& state = states_[i];
    const auto given = states.find(state.name);
    if (given == states.end()) continue;
    state = std::move(resized[i]);
    const void* const value = given->second.raw_data().get();
    if (state.cache.exists()) {
      state.cache.Write(value, state.type.shape);
    } else if (Bytes(state.type) > 0) {
      std::memcpy(DataOf(state), value, static_cast<size_t>(Bytes(state.type)));
    }
  }
  return Status();
}

}  // namespace mace
