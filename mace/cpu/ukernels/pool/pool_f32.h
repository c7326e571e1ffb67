// Pooling micro-kernels of f32, and of f16 as uint16_t, for all channels of one
// or two output pixels or, of f32, of a line.
// SPDX-License-Identifier: Apache-2.0
//
// There are two ways to pool. By windows, vectors are some channels of a pixel,
// and a call computes one output pixel, or two that share a column:
//
//   x  rows x columns pixels of `channels` elements      outputs = 2
//      . . . . .                                         columns 0 1 2 3 4
//      . # # # .   row_stride down                       y       |---|
//      . # # # .   column_stride to the right            y + y_step  |---|
//      . # # # .
//
// By lines, vectors are adjacent elements of a line of all its pixels, whatever
// the number of channels: for windows that overlap much, and for few channels.
// It is done in two passes, see PoolF32Line.
//
// No operand needs more than the alignment of its elements, and nothing beyond
// the given numbers of elements is read or written. Results overlap no operand
// unless a comment allows it. The caller itself computes the outputs of windows
// that have no line inside the image and, where it pools by windows, of all
// windows that have no pixel inside the image.
#ifndef MACE_CPU_UKERNELS_POOL_POOL_F32_H_
#define MACE_CPU_UKERNELS_POOL_POOL_F32_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// One window, or two of the same size. T is float, or uint16_t for fp16.
template <typename T>
struct PoolWindow {
  size_t channels;
  size_t rows, columns;  // pixels inside the image; > 0
  const T* x;            // the first of these pixels
  // Between pixels, in elements. With dilation, they are not adjacent.
  ptrdiff_t row_stride;
  ptrdiff_t column_stride;
  T* y;  // `channels` elements, for each output
  // For means and L2 norms, the same for both outputs: 1 / divisor of the mean,
  // which may count pixels outside the image. A maximum ignores it.
  float scale;
  // The result is min(max(result, lower), upper); NaN stays NaN.
  float lower, upper;
  // 1, or 2 for 3x3 pixels: the second window begins two columns after the
  // first.
  size_t outputs = 1;
  ptrdiff_t y_step = 0;  // between outputs, in elements
};

// A line of outputs, for windows that overlap much. The first pass pools each
// column over `rows` lines; the second pools, for each window, the results of
// its columns.
//
//   x        `rows` lines of `in` floats
//   columns  [left: nothing][in: pooled from x][right: nothing]
//   y        `out` floats; y[i] is pooled from columns[i],
//            columns[i + tap_step], ..., columns[i + (taps - 1) * tap_step]
//
// "Nothing" is -infinity for a maximum, and 0 for sums. A window of r x t
// pixels takes r + t operations for each output instead of r * t. A window
// begins at every pixel; with a larger stride, the caller picks the outputs
// that it needs. Here, lines have 2 channels, and windows 3 columns:
//
//   x         a b a b a b a b      line 0
//             a b a b a b a b      line 1
//   columns   a b a b a b a b      a: both lines' a in this column
//   y[0]      |   |   |            tap_step 2: the a of three columns
//   y[1]        |   |   |          the b
//
// REQUIRES: out + (taps - 1) * tap_step <= left + in + right.
struct PoolF32Line {
  size_t rows;  // > 0
  const float* x;
  ptrdiff_t row_stride;         // in floats
  size_t in, left, right, out;  // numbers of floats
  float* columns;               // left + in + right floats of scratch
  size_t taps;                  // columns of a window; > 0
  size_t tap_step;              // in floats: channels * dilation
  float* y;
};

// Replaces y, the result of max, sum or squares, by the pooled and clamped
// value: the maximum itself; the mean, y * scale; or the root of y * scale for
// L2.
struct PoolF32Finish {
  size_t n;
  const float* scale;  // n floats; of a maximum, it may be null
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
