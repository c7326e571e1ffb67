// f32 matrix-vector micro-kernels: y = clamp(w * x + bias), with w stored by
// rows.
// SPDX-License-Identifier: Apache-2.0
//
//                k
//        +---------------+     x
//        | row of w      | *  [k]  + bias[i]  ->  y[i]
//      n | ...           |
//        +---------------+
//
//   y[i] = min(max(sum over j of w[i][j] * x[j] + bias[i], lower), upper)
//
// Every weight is read once, usually from memory, so that nothing is packed.
// Kernels call gemv_f32 for a single x. For weights stored as int8 or int4,
// they call gemv_q8.h for each of a few x. Products with more x are a GEMM.
//
// A micro-kernel has no state and reports no errors. Threads share the rows of
// w: each call gets some of them, with the pointers advanced to the first.
#ifndef MACE_CPU_UKERNELS_GEMV_GEMV_F32_H_
#define MACE_CPU_UKERNELS_GEMV_GEMV_F32_H_

#include <cstddef>

namespace mace::cpu {

// The operands need the alignment of a float only, and nothing beyond them is
// read or written. y overlaps no other operand.
struct GemvF32Rows {
  size_t n;        // rows of w and elements of y
  size_t k;        // columns of w and elements of x
  const float* w;  // [n][k], dense
  const float* x;
  const float* bias;  // n floats; null: zeros
  float* y;
  float lower, upper;  // infinite where there is no bound; NaN stays NaN
};

// The result of a row depends neither on the rows around it nor on the number
// of threads. Micro-kernels add products in different orders: their results
// differ by rounding.
using GemvF32Fn = void(const GemvF32Rows& rows);

// gemv_f32__aarch64 has a file of its own; simd__{isa}.cc define the others
// from gemv_f32_rows.h.
GemvF32Fn gemv_f32__scalar, gemv_f32__avx2, gemv_f32__avx512, gemv_f32__neon,
    gemv_f32__aarch64;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMV_GEMV_F32_H_
