// f32 matrix-vector micro-kernels: y = clamp(w * x + bias), with w stored by
// rows.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_GEMV_GEMV_F32_H_
#define MACE_CPU_UKERNELS_GEMV_GEMV_F32_H_

#include <cstddef>

namespace mace::cpu {

struct GemvF32Rows {
  size_t n;        // rows of w and elements of y
  size_t k;        // columns of w and elements of x
  const float* w;  // [n][k], dense
  const float* x;
  const float* bias;  // n floats; null: zeros
  float* y;
  float lower, upper;
};

// The result of a row does not depend on the rows around it.
using GemvF32Fn = void(const GemvF32Rows& rows);

GemvF32Fn gemv_f32__scalar, gemv_f32__avx2, gemv_f32__avx512, gemv_f32__neon,
    gemv_f32__aarch64;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMV_GEMV_F32_H_
