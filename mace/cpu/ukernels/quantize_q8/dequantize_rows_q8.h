// Micro-kernels that dequantize values in which a weight is stored.
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
// The bits4 functions take int4 values in blocks of 32 elements, each with a
// scale and 16 bytes. A value is stored as 0 to 15, for -8 to 7:
//
//   to[i] = scales[i / 32] * (value[i] - 8)
//
//   byte of a block   0           1           ..   15
//   low half          element 0   element 1   ..   element 15
//   high half         element 16  element 17  ..   element 31
//
// so that 16 bytes give two vectors of adjacent elements with a mask and a
// shift. The last block is whole, 16 bytes are read; only its first n % 32
// elements are written. Scales are floats here; DequantizedRows
// (mace/cpu/quantized), which calls these functions, widens stored fp16 scales.
//
// Functions keep no state; `to` overlaps nothing that is read, and nothing
// needs to be aligned beyond its type.
struct DequantizeRowsQ8Args {
  size_t n;
  const uint8_t* quantized;
  const float* scales;  // 1, or one for each block: n / 32, rounded up
  float* to;
};

using DequantizeRowsQ8Fn = void(const DequantizeRowsQ8Args& args);

DequantizeRowsQ8Fn dequantize_8bits_q8__scalar, dequantize_8bits_q8__avx2,
    dequantize_8bits_q8__avx512, dequantize_8bits_q8__neon;
DequantizeRowsQ8Fn dequantize_4bits_q8__scalar, dequantize_4bits_q8__avx2,
    dequantize_4bits_q8__avx512, dequantize_4bits_q8__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_QUANTIZE_Q8_DEQUANTIZE_ROWS_Q8_H_
