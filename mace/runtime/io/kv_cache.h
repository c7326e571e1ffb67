// KvCache: the memory of a state that grows, with capacity for more rows.
// SPDX-License-Identifier: Apache-2.0
//
//   state [2, 3, D], capacity 5:   | r0 r1 r2 .. .. | r0 r1 r2 .. .. |
//
// A model joins what a state holds and new rows by a Concat, and makes that the
// state's next value. An engine runs an Append instead (mace/ops/append.cc),
// which writes the new rows after the others; these are moved, to a larger
// cache, only if the capacity does not suffice. A run that fails leaves the
// number of rows as it was, and so the state.
#ifndef MACE_RUNTIME_IO_KV_CACHE_H_
#define MACE_RUNTIME_IO_KV_CACHE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "mace/base/status.h"
#include "mace/graph/graph.h"
#include "mace/model/model.h"
#include "mace/public/mace.h"

namespace mace {

class KvCache {
 public:
  using Tensors = std::map<std::string, MaceTensor>;

  // Whether the state has such a cache.
  bool exists() const { return axis_ >= 0; }
  int axis() const { return axis_; }

  // If the state `ids` is not quantized and has exactly one open dimension in
  // `open`, and the graph makes its next value of its value and new rows, puts
  // an Append there (AppendToState) and returns true. The cache becomes an
  // input of the graph, the next cache takes the place of `ids.next` among its
  // outputs, and the number of rows becomes one more output. Otherwise returns
  // false and changes nothing.
  bool AddTo(const StateVariable& ids, const OpenDims& open, Graph* graph);

  // Provides capacity for `rows` rows. If the capacity does not suffice, new
  // memory replaces the cache, and the rows in it are lost. Errors:
  // MACE_OUT_OF_RESOURCES.
  Status Reserve(int64_t rows);

  // Copies a dense value of this shape to the first shape[axis()] rows of the
  // cache, or these rows to a value. REQUIRES: the capacity suffices.
  void Write(const void* value, const Shape& shape);
  void Read(const Shape& shape, void* value) const;

  // Returns the tensor that a run gets in place of the state's value of this
  // shape: it has the cache's memory, which the run does not read through it.
  MaceTensor Value(const Shape& shape) const;
  // AddTensors adds the cache, where a run finds rows and leaves more, and the
  // number of rows to the tensors of a run. If the caller gave a tensor of such
  // a name already, it returns that name, else "". RemoveFrom takes them out of
  // the outputs.
  std::string AddTensors(Tensors* inputs, Tensors* outputs) const;
  void RemoveFrom(Tensors* outputs) const;
  // After a run that succeeded: takes over the cache that it made, which may be
  // a larger one. Returns count().
  int64_t Advance(const Tensors& outputs);
  // How many rows the latest run left. REQUIRES: Reserve has returned OK.
  int64_t count() const { return *count_; }

  const std::string& next_name() const { return next_name_; }
  const Shape& shape() const { return type_.shape; }
  int64_t bytes() const { return Bytes(type_); }
  int64_t capacity() const { return type_.shape[axis_]; }  // rows

 private:
  // `writes`: from `value`, which is dense, to the first shape[axis] rows of
  // the cache; else back.
  void Copy(const Shape& shape, bool writes, void* value) const;

  TensorType type_;       // of the cache
  int axis_ = -1;         // along which it grows
  int64_t reserved_ = 0;  // capacity that there is always
  std::string name_, next_name_, count_name_;
  // The cache and the number of rows are outputs of a run, so that tensors may
  // share them.
  std::shared_ptr<void> memory_;
  std::shared_ptr<int64_t> count_;
};

}  // namespace mace

#endif  // MACE_RUNTIME_IO_KV_CACHE_H_
