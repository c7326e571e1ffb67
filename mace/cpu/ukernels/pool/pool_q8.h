// Pooling micro-kernels of 8-bit values.
// SPDX-License-Identifier: Apache-2.0
//
// Input and output have the same scale and zero point, so that a maximum or
// mean of quantized values is the quantized maximum or mean: nothing is
// requantized, and no zero point is needed. Windows are cut at the border of
// the image, and a mean counts only the pixels inside. Means of more
// pixels than kAvgpoolQ8MaxPixels, and int16 tensors, have no micro-kernel:
// pooling_q8.cc computes them.
#ifndef MACE_CPU_UKERNELS_POOL_POOL_Q8_H_
#define MACE_CPU_UKERNELS_POOL_POOL_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// Up to this number of pixels, sums and their quotients take 16 bits: a sum of
// uint8 is at most 128 * 255 = 32640, below 2^15, and stays so with half of the
// divisor added for rounding.
constexpr size_t kAvgpoolQ8MaxPixels = 128;

// For each of `outputs` windows of `rows` x `columns` pixels, y[c] =
// clamp(result of channel c). The first pixel of the first window is at x.
// Usually these are the windows of a line that lie wholly inside the image.
//
//   x ............ x + x_step ......  window i begins at x + i * x_step,
//   [ window 0 ]                      and may overlap others
//            [ window 1 ]
//   y, y + y_step, ...                `channels` values each
//
// No operand needs any alignment. Nothing beyond `channels` values of a pixel
// or an output is read or written, but a value may be written twice.
struct PoolQ8Windows {
  size_t channels, rows, columns;
  const uint8_t* x;
  ptrdiff_t row_stride, column_stride;  // bytes
  bool is_signed;                       // values are int8_t, else uint8_t
  // The clamp: quantized values of the type, such as those of 0 and 6 for
  // ReLU6. If lower > upper, the result is `upper`.
  int32_t lower, upper;
  uint8_t* y;  // overlaps no pixel
  size_t outputs;
  ptrdiff_t x_step, y_step;  // bytes from one window, or output, to the next
};

using PoolQ8Fn = void(const PoolQ8Windows& windows);

// The largest value; `lower` if a window has no pixels.
PoolQ8Fn maxpool_q8__scalar, maxpool_q8__avx2, maxpool_q8__neon;
// The mean, rounded to the nearest, ties away from zero. REQUIRES: a window has
// at least one pixel and at most kAvgpoolQ8MaxPixels.
PoolQ8Fn avgpool_q8__scalar, avgpool_q8__avx2, avgpool_q8__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_POOL_POOL_Q8_H_
