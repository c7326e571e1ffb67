// Rows of keys and values as they lie in a KV cache: f32, f16, or int8 with the
// scale of the row behind them (mace/ops/update_kv_cache.cc).
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_KV_ROWS_H_
#define MACE_CPU_COMMON_KV_ROWS_H_

#include <cstdint>
#include <string>

#include "mace/cpu/common/indices.h"
#include "mace/graph/node.h"

namespace mace::cpu {

// Writes the floats of a row of `depth` elements.
void WidenKvRow(DataType dtype, const void* row, int64_t depth, float* to);

// Writes a row of floats as `dtype`.
void StoreKvRow(DataType dtype, const float* row, int64_t depth, void* to);

// The position of each sequence in a KV cache, which is read when a node runs.
class KvPosition {
 public:
  KvPosition() = default;
  // `input` is that of the position.
  KvPosition(const Node& node, size_t input);

  bool exists() const { return n_ > 0; }
  int64_t At(const void* data, int64_t batch) const {
    return Indices(data, dtype_)[n_ == 1 ? 0 : batch];
  }
  // Errors: MACE_INVALID_ARGS if `rows` rows from any position on are not
  // within the capacity.
  Status Check(const void* data, int64_t rows, int64_t capacity) const;

 private:
  std::string label_;
  DataType dtype_ = DataType::kInvalid;
  int64_t n_ = 0;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_KV_ROWS_H_
