// Pooling micro-kernels of f32, and of f16 as uint16_t. Each computes one or
// two output pixels, for all channels.
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
  const T* x;            // the first of these pixels
  ptrdiff_t row_stride;  // elements
  ptrdiff_t column_stride;
  T* y;
  float scale;  // of sums: 1 / divisor of the mean
  float lower, upper;
  size_t outputs = 1;    // or 2, for 3x3 pixels two columns apart
  ptrdiff_t y_step = 0;  // between outputs, in elements
};

// A line of outputs, for windows that overlap much. First the part of the
// windows in each column is pooled; then as many of these results as a window
// has columns are pooled.
//
//   x        `rows` lines of `in` floats
//   columns  [left: nothing][in: pooled from x][right: nothing]
//   y        `out` floats; y[i] is pooled from columns[i],
//           columns[i + tap_step], ..., columns[i + (taps - 1) * tap_step]
struct PoolF32Line {
  size_t rows;  // > 0
  const float* x;
  ptrdiff_t row_stride;  // in floats
  size_t in, left, right, out;
  float* columns;
  size_t taps;  // > 0
  size_t tap_step;
  float* y;
};

// Replaces y, a sum, by the clamped result: the mean is y * scale.
struct PoolF32Finish {
  size_t n;
  const float* scale;  // n floats
  float lower, upper;
  float* y;
};

// The functions of one instruction set. The first three compute, for each
// window, the maximum (NaN if there is one), the sum or the sum of squares; the
// others turn that into the result.
struct PoolF32LineSet {
  void (*max)(const PoolF32Line& line);
  void (*sum)(const PoolF32Line& line);
  void (*squares)(const PoolF32Line& line);
  void (*finish_max)(const PoolF32Finish& args);  // ignores scale
  void (*finish_mean)(const PoolF32Finish& args);
  void (*finish_l2)(const PoolF32Finish& args);
};
extern const PoolF32LineSet pool_f32_lines__scalar, pool_f32_lines__avx2,
    pool_f32_lines__avx512, pool_f32_lines__neon;

template <typename T>
using PoolFn = void(const PoolWindow<T>& window);

using PoolF32Window = PoolWindow<float>;
using PoolF32Fn = PoolFn<float>;
// Sums are accumulated in f32.
using PoolF16Window = PoolWindow<uint16_t>;
using PoolF16Fn = PoolFn<uint16_t>;

// max: the largest element, or NaN if there is one. mean: the sum times scale.
// l2: the root of (the sum of squares times scale).
PoolF32Fn pool_max_f32__scalar, pool_mean_f32__scalar, pool_l2_f32__scalar;
PoolF32Fn pool_max_f32__avx2, pool_mean_f32__avx2, pool_l2_f32__avx2;
PoolF32Fn pool_max_f32__avx512, pool_mean_f32__avx512, pool_l2_f32__avx512;
PoolF32Fn pool_max_f32__neon, pool_mean_f32__neon, pool_l2_f32__neon;

PoolF16Fn pool_max_f16__scalar, pool_mean_f16__scalar, pool_l2_f16__scalar;
PoolF16Fn pool_max_f16__fp16, pool_mean_f16__fp16, pool_l2_f16__fp16;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_POOL_POOL_F32_H_
