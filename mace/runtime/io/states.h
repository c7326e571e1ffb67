// States: the tensors that an engine keeps from run to run.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_IO_STATES_H_
#define MACE_RUNTIME_IO_STATES_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/base/status.h"
#include "mace/model/model.h"
#include "mace/public/mace.h"
#include "mace/runtime/io/kv_cache.h"

namespace mace {

// To a plan, a state is an input and its next value an output, the last ones of
// the graph. Each state has two buffers: one holds the value, a run writes the
// next value to the other, and a run that succeeds exchanges them all at once,
// so that a run that fails leaves these states as they were. The buffers are
// never in an arena, which other engines may use between runs.
//
// A state with open dimensions grows: a run that reads [1, 4, 7, 8] may leave
// [1, 4, 8, 8]. It begins with its first value, or with a size of 0 for each
// open dimension. If the model only adds rows to it and the CPU runs all of the
// model, its value stays in a KvCache; else the memory of its next value is
// allocated by each run.
//
// A KV cache of fixed capacity, which only an UpdateKvCache reads, has one
// buffer if the CPU runs all of the model: a run writes its rows there, also a
// run that fails later.
//
// Not thread-safe. Errors of the functions with tensors: MACE_INVALID_ARGS, and
// others where a function names them.
class States {
 public:
  using Tensors = std::map<std::string, MaceTensor>;

  // Makes the states inputs and outputs of `graph`, with the shapes with which
  // they begin. `open` is that of the model. Errors: MACE_INVALID_ARGS if the
  // next value of a state is an output of `graph` already.
  Status AddTo(const std::vector<StateVariable>& states,
               const std::map<int, OpenDims>& open, Graph* graph);
  // Gives states that grow by rows a cache, where they grow in place, and lets
  // those that rows are written to share the memory of their next value.
  // REQUIRES: AddTo was called, and all nodes run in host memory.
  void GrowInPlace(Graph* graph);
  // Allocates the buffers and sets the first values. REQUIRES: AddTo was
  // called; `graph`, which has the weights, is the model's own and outlives
  // this. Errors: MACE_OUT_OF_RESOURCES.
  Status Allocate(const Graph& graph);

  // A library without the component `dynamic` loads no model with any.
  bool empty() const { return states_.empty(); }
  size_t size() const { return empty() ? 0 : states_.size(); }
  // The number of inputs of the graph, and as many outputs, that only the
  // engine uses.
  size_t tensors() const { return empty() ? 0 : CountTensors(); }
  // Whether any state has open dimensions.
  bool grow() const;
  int64_t bytes() const;  // of all values, each counted once
  // Of all memory: next values and free capacity, too.
  int64_t held_bytes() const;
  std::vector<MaceTensorInfo> Infos() const;
  // One line for each state, for people.
  std::string Dump() const;

  // Checks that an inferred graph gives each state a next value of its type, as
  // far as it does not wait for data. Errors: MACE_INVALID_ARGS.
  Status CheckTypes(const Graph& graph) const;
  // The same for the outputs of a run, which has AddTensors' tensors.
  Status CheckWritten(const Tensors& outputs) const;

  // Adds the states to the tensors of a run, next to those of the caller, of
  // which none may have the name of a state or of its next value.
  Status AddTensors(Tensors* inputs, Tensors* outputs) const;
  // Whether output `name` of a run is a cache that needs this shape, and has
  // another one now, so that it needs other memory.
  bool Outgrows(const std::string& name, const Shape& shape) const;
  // RemoveFrom takes the states out of a run's outputs. Advance makes what a
  // run that succeeded wrote the values of the states.
  void RemoveFrom(Tensors* outputs) const;
  void Advance(const Tensors& outputs);

  // As those of MaceEngine. Further errors: MACE_OUT_OF_RESOURCES, in Reset and
  // Set if states grow, in Get for tensors without memory, which it allocates.
  Status Reset();
  Status Get(Tensors* states) const;
  Status Set(const Tensors& states);

 private:
  struct State {
    StateVariable ids;
    std::string name;
    std::string next_name;
    TensorType type;  // of a state that grows: with the shape of its value
    OpenDims open;    // of a state that grows; else without dimensions
    const Value* initial = nullptr;  // null: zeros
    // Of a state that grows: the value, in the first one.
    std::shared_ptr<AlignedBuffer> buffers[2];
    std::shared_ptr<void> grown;  // if a run made the value, in its place
    KvCache cache;                // if it exists, holds the value
    bool in_place = false;        // has one buffer, which runs update

    bool grows() const { return !open.dims.empty(); }
  };

  size_t CountTensors() const;
  // Whether the state may have a value of this type.
  static bool Takes(const State& state, const TensorType& type);
  // Makes a value of zeros of a state that grows.
  static Status Allocate(State& state, const Shape& shape);
  // REQUIRES: the state has no cache.
  void* DataOf(const State& state) const;
  // Of its first value, or the model's with 0 for open dimensions.
  static Shape FirstShape(const State& state);
  // The type of the next value, of `rows` rows, of a state with a cache.
  static TensorType NextOf(const State& state, int64_t rows);
  static Status OtherType(const State& state, const TensorType& next);
  // Null: there is no such state.
  const State* Find(const std::string& name) const;
  // Finds the state, and checks that it may take the value of `tensor`.
  Result<const State*> FindFor(const std::string& name,
                               const MaceTensor& tensor) const;
  // Returns the value of a state as a tensor that shares its memory; of one
  // with two buffers, buffer `buffer`.
  MaceTensor TensorOf(const State& state, int buffer) const;
  std::string Names() const;

  std::vector<State> states_;
  int current_ = 0;  // the buffer that holds the values
};

}  // namespace mace

#endif  // MACE_RUNTIME_IO_STATES_H_
