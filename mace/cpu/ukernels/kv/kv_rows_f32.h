// f32 micro-kernels of attention with rows of a KV cache: f32, fp16, or int8
// with the scale of the row, a float, behind them.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_KV_KV_ROWS_F32_H_
#define MACE_CPU_UKERNELS_KV_KV_ROWS_F32_H_

#include <cstddef>

namespace mace::cpu {

// n rows of `depth` elements each, and queries that share them.
struct KvRowsF32 {
  size_t n, depth, queries;
  const void* rows;
  ptrdiff_t row_bytes;  // between rows
  const float* x;       // of `dot`: [queries][depth]; of `add`: [queries][n]
  ptrdiff_t x_stride;   // between queries
  float* y;             // of `dot`: [queries][n]; of `add`: [queries][depth]
  ptrdiff_t y_stride;
};

enum KvType { kKvF32, kKvFp16, kKvInt8, kKvTypes };

// The functions of one instruction set, by KvType.
struct KvRowsF32Set {
  // y[i][t] = the dot product of x[i] and row t
  void (*dot[kKvTypes])(const KvRowsF32& args);
  // y[i] += the sum of x[i][t] * row t
  void (*add[kKvTypes])(const KvRowsF32& args);
};

extern const KvRowsF32Set kv_rows_f32__scalar, kv_rows_f32__avx2,
    kv_rows_f32__avx512, kv_rows_f32__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_KV_KV_ROWS_F32_H_
