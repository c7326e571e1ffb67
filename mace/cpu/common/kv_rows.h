// Rows of keys and values as they lie in a KV cache: f32, f16, or int8 with the
// scale of the row behind them (mace/ops/update_kv_cache.cc).
// SPDX-License-Identifier: Apache-2.0
//
// row of depth 4:   f32   [ v0 ][ v1 ][ v2 ][ v3 ]         16 bytes
//                   f16   [v0][v1][v2][v3]                  8 bytes
//                   int8  v0 v1 v2 v3 [scale, f32]          8 bytes
// An element of int8 is scale * v. The scale has no alignment.
#ifndef MACE_CPU_COMMON_KV_ROWS_H_
#define MACE_CPU_COMMON_KV_ROWS_H_

#include <cstdint>
#include <string>

#include "mace/cpu/common/indices.h"
#include "mace/graph/node.h"

namespace mace::cpu {

// Writes the `depth` values of a row of kF32, kF16 or kI8 to `to` as floats.
// The two do not overlap.
void WidenKvRow(DataType dtype, const void* row, int64_t depth, float* to);

// Writes a row of floats as `dtype`; as int8 with the scale max|v| / 127 (NaN
// left out), rounded to the nearest, so that the largest value becomes 127 or
// -127 unless all are 0; NaN becomes 0. As int8, a row with an infinity is read
// back as NaN.
void StoreKvRow(DataType dtype, const float* row, int64_t depth, void* to);

// The position of each sequence in a KV cache: the row at which the new rows
// begin. It is data, read when a node runs: one number for all sequences, or
// one for each.
class KvPosition {
 public:
  KvPosition() = default;
  // `input` is the index of the position, which is int32 or int64. `node` need
  // not outlive the call. REQUIRES: the input is present.
  KvPosition(const Node& node, size_t input);

  // Returns false if default-constructed, which stands for a node without this
  // input, and for an input without elements (a batch of 0).
  bool exists() const { return n_ > 0; }
  // Returns the position of a sequence; `data` is the operand of this Run.
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
