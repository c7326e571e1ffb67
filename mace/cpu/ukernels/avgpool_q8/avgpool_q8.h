// Micro-kernels that compute the means of 8-bit values in a window.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_AVGPOOL_Q8_AVGPOOL_Q8_H_
#define MACE_CPU_UKERNELS_AVGPOOL_Q8_AVGPOOL_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// Up to this number of pixels, sums and their quotients take 16 bits.
constexpr size_t kAvgpoolQ8MostPixels = 128;

// y[c] = clamp(the mean code of channel c, rounded to the nearest, ties away
// from zero) over `rows` of `columns` pixels, the first of which is at x.
// REQUIRES: there is a pixel, and there are at most kAvgpoolQ8MostPixels.
struct AvgpoolQ8Args {
  size_t channels, rows, columns;
  const uint8_t* x;
  ptrdiff_t row_stride, column_stride;  // bytes
  bool is_signed;                       // values are int8_t, else uint8_t
  int32_t least, most;                  // values; `most` wins
  uint8_t* y;                           // overlaps no pixel
  size_t outputs;
  ptrdiff_t x_step, y_step;  // bytes from one window, or output, to the next
};

using AvgpoolQ8Fn = void(const AvgpoolQ8Args& args);

AvgpoolQ8Fn avgpool_q8__scalar, avgpool_q8__avx2, avgpool_q8__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_AVGPOOL_Q8_AVGPOOL_Q8_H_
