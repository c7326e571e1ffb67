// Micro-kernels that find the largest 8-bit values in a window.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_MAXPOOL_Q8_MAXPOOL_Q8_H_
#define MACE_CPU_UKERNELS_MAXPOOL_Q8_MAXPOOL_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// y[c] = clamp(the largest code of channel c) over `rows` of `columns` pixels,
// the first of which is at x. Without pixels it is `least`. The same for as
// many windows of this size as there are outputs.
struct MaxpoolQ8Args {
  size_t channels, rows, columns;
  const uint8_t* x;
  ptrdiff_t row_stride, column_stride;  // bytes
  bool is_signed;                       // values are int8_t, else uint8_t
  int32_t least, most;                  // values; `most` wins
  uint8_t* y;                           // overlaps no pixel
  size_t outputs;
  ptrdiff_t x_step, y_step;  // bytes from one window, or output, to the next
};

using MaxpoolQ8Fn = void(const MaxpoolQ8Args& args);

MaxpoolQ8Fn maxpool_q8__scalar, maxpool_q8__avx2, maxpool_q8__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_MAXPOOL_Q8_MAXPOOL_Q8_H_
