// f32 micro-kernels of attention with rows of a KV cache: f32, fp16, or int8
// with the scale of the row, a float, behind them.
// SPDX-License-Identifier: Apache-2.0
//
// Attention of one or few queries, as when a language model generates a token,
// reads each key and each value once, which takes most of the time. So each row
// is dequantized in registers, while several queries share it:
//
//   dot   scores  y [queries][n]     = queries x [queries][depth] * keys'
//   add   results y [queries][depth] += weights x [queries][n] * values
//
// DecodeAttention (mace/cpu/attention) calls both for a tile of keys; between
// them it makes weights of scores, with scale, mask and softmax.
//
// A row, of KvType
//
//   kKvF32    | depth floats |
//   kKvFp16   | depth fp16 (IEEE binary16) |
//   kKvInt8   | depth int8 | scale: float |     element = scale * int8
//
// Functions keep no state and allocate nothing; any threads may call them at
// the same time if their y do not overlap.
#ifndef MACE_CPU_UKERNELS_KV_KV_ROWS_F32_H_
#define MACE_CPU_UKERNELS_KV_KV_ROWS_F32_H_

#include <cstddef>

namespace mace::cpu {

// n rows of `depth` elements each, and queries that share them. Exactly these
// are read and written: nothing behind the last element of a row or its scale.
// f32 and fp16 rows have the alignment of their elements, int8 rows and their
// scales need none. y overlaps neither rows nor x. Strides of x and y count
// floats. A query of y has n scores (`dot`) or `depth` elements (`add`).
struct KvRowsF32 {
  size_t n, depth, queries;  // if one is 0, `add` changes nothing
  const void* rows;
  ptrdiff_t row_bytes;  // between rows, in bytes
  // Of `dot`: the queries, [queries][depth]; of `add`: the weights of rows,
  // [queries][n].
  const float* x;
  ptrdiff_t x_stride;  // between queries
  // Of `dot`: the scores, [queries][n]; of `add`: the results so far,
  // [queries][depth].
  float* y;
  ptrdiff_t y_stride;
};

// How rows are stored: an index of KvRowsF32Set.
enum KvType { kKvF32, kKvFp16, kKvInt8, kKvTypes };

// The functions of one instruction set, by KvType. Products are accumulated in
// f32, in an order that depends on the set.
struct KvRowsF32Set {
  // y[i][t] = the dot product of x[i] and row t. Writes all of y.
  void (*dot[kKvTypes])(const KvRowsF32& args);
  // y[i] += the sum over t of x[i][t] * row t. REQUIRES: y is initialized.
  void (*add[kKvTypes])(const KvRowsF32& args);
};

extern const KvRowsF32Set kv_rows_f32__scalar, kv_rows_f32__avx2,
    kv_rows_f32__avx512, kv_rows_f32__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_KV_KV_ROWS_F32_H_
