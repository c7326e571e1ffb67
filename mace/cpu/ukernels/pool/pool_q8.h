// Pooling micro-kernels of 8-bit values.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_POOL_POOL_Q8_H_
#define MACE_CPU_UKERNELS_POOL_POOL_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// Up to this number of pixels, sums and their quotients take 16 bits.
constexpr size_t kAvgpoolQ8MaxPixels = 128;

// y[c] = clamp(the result of channel c) over `rows` of `columns` pixels, the
// first of which is at x. The same for as many windows of this size as there
// are outputs.
struct PoolQ8Windows {
  size_t channels, rows, columns;
  const uint8_t* x;
  ptrdiff_t row_stride, column_stride;  // bytes
  bool is_signed;                       // values are int8_t, else uint8_t
  int32_t lower, upper;                 // values; `upper` wins
  uint8_t* y;                           // overlaps no pixel
  size_t outputs;
  ptrdiff_t x_step, y_step;  // bytes from one window, or output, to the next
};

using PoolQ8Fn = void(const PoolQ8Windows& windows);

// The largest value; without pixels it is `lower`.
PoolQ8Fn maxpool_q8__scalar, maxpool_q8__avx2, maxpool_q8__neon;
// The mean, rounded to the nearest, ties away from zero. REQUIRES: there is a
// pixel, and there are at most kAvgpoolQ8MaxPixels.
PoolQ8Fn avgpool_q8__scalar, avgpool_q8__avx2, avgpool_q8__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_POOL_POOL_Q8_H_
