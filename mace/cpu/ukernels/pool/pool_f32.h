// Pooling micro-kernels of f32, and of f16 as uint16_t: an output pixel or two,
// over all channels.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_POOL_POOL_F32_H_
#define MACE_CPU_UKERNELS_POOL_POOL_F32_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

template <typename T>
struct PoolWindow {
  size_t channels;
  size_t rows, columns;  // pixels inside the image; > 0
  const T* x;            // the first of them
  ptrdiff_t row_stride;  // elements
  ptrdiff_t column_stride;
  T* y;
  float scale;  // of sums: one over what a mean divides by
  float lower, upper;
  size_t outputs = 1;    // or 2, of 3x3 pixels each and two columns apart
  ptrdiff_t y_step = 0;  // elements from output to output
};

// A line of outputs, for windows that share much: what the windows have of each
// column is pooled first, then as many of these columns as a window has.
//
//   x        rows lines of `in` floats
//   columns  [left: nothing][in: pooled from x][right: nothing]
//   y        out floats; y[i] is pooled from columns[i], columns[i + tap_step],
//            ..., columns[i + (taps - 1) * tap_step]
struct PoolF32Line {
  size_t rows;  // > 0
  const float* x;
  ptrdiff_t row_stride;  // floats
  size_t in, left, right, out;
  float* columns;
  size_t taps;  // > 0
  size_t tap_step;
  float* y;
};

// y = what becomes of a sum that times scale (a mean), clamped.
struct PoolF32Finish {
  size_t n;
  const float* scale;  // n floats
  float lower, upper;
  float* y;
};

// The functions of one instruction set: a maximum (a NaN if there is one), a
// sum, or a sum of squares of each window; and the rest of their work.
struct PoolF32LineSet {
  void (*max)(const PoolF32Line& line);
  void (*sum)(const PoolF32Line& line);
  void (*squares)(const PoolF32Line& line);
  void (*finish_max)(const PoolF32Finish& args);  // reads no scale
  void (*finish_mean)(const PoolF32Finish& args);
  void (*finish_l2)(const PoolF32Finish& args);
};
extern const PoolF32LineSet pool_f32_lines__scalar, pool_f32_lines__avx2,
    pool_f32_lines__avx512, pool_f32_lines__neon;

template <typename T>
using PoolFn = void(const PoolWindow<T>& window);

using PoolF32Window = PoolWindow<float>;
using PoolF32Fn = PoolFn<float>;
// Sums are f32.
using PoolF16Window = PoolWindow<uint16_t>;
using PoolF16Fn = PoolFn<uint16_t>;

// max: the largest, a NaN if there is one. mean: the sum times scale.
// l2: the root of the sum of squares times scale.
PoolF32Fn pool_max_f32__scalar, pool_mean_f32__scalar, pool_l2_f32__scalar;
PoolF32Fn pool_max_f32__avx2, pool_mean_f32__avx2, pool_l2_f32__avx2;
PoolF32Fn pool_max_f32__avx512, pool_mean_f32__avx512, pool_l2_f32__avx512;
PoolF32Fn pool_max_f32__neon, pool_mean_f32__neon, pool_l2_f32__neon;

PoolF16Fn pool_max_f16__scalar, pool_mean_f16__scalar, pool_l2_f16__scalar;
PoolF16Fn pool_max_f16__fp16, pool_mean_f16__fp16, pool_l2_f16__fp16;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_POOL_POOL_F32_H_
