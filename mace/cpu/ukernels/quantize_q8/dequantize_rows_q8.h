// Micro-kernels that dequantize a row of a weight stored as int8 or int4.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_QUANTIZE_Q8_DEQUANTIZE_ROWS_Q8_H_
#define MACE_CPU_UKERNELS_QUANTIZE_Q8_DEQUANTIZE_ROWS_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// n elements, a row of a weight. The bits8 functions take n int8 values with
// one scale for all of them:
//
//   to[i] = scales[0] * value[i]
//
// The bits4 functions take int4 values in blocks of 32 elements, each of 16
// bytes in `quantized` and one of `scales`. A value, -8 to 7, is stored as 0 to
// 15:
//
//   to[i] = scales[i / 32] * (value[i] - 8)
//
//   byte of a block   0           1           ..   15
//   low half          element 0   element 1   ..   element 15
//   high half         element 16  element 17  ..   element 31
//
// so that 16 bytes give two vectors of adjacent elements with a mask and a
// shift. All 16 bytes of the last block are read, even if n is no multiple of
// 32; only n elements are written. Scales are floats here; DequantizedRows
// (mace/cpu/quantized), which calls these functions, widens stored fp16 scales.
//
// Functions keep no state; `to` overlaps nothing that is read, and nothing
// needs to be aligned beyond its type.
struct DequantizeRowsQ8Args {
  size_t n;
  const uint8_t* quantized;
  const float* scales;  // 1; bits4: one for each block, ceil(n / 32)
  float* to;
};

using DequantizeRowsQ8Fn = void(const DequantizeRowsQ8Args& args);

DequantizeRowsQ8Fn dequantize_8bits_q8__scalar, dequantize_8bits_q8__avx2,
    dequantize_8bits_q8__avx512, dequantize_8bits_q8__neon;
DequantizeRowsQ8Fn dequantize_4bits_q8__scalar, dequantize_4bits_q8__avx2,
    dequantize_4bits_q8__avx512, dequantize_4bits_q8__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_QUANTIZE_Q8_DEQUANTIZE_ROWS_Q8_H_
