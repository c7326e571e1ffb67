// Micro-kernels that dequantize values in which a weight is stored.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_QUANTIZE_Q8_DEQUANTIZE_ROWS_Q8_H_
#define MACE_CPU_UKERNELS_QUANTIZE_Q8_DEQUANTIZE_ROWS_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// Of n elements: to[i] = scales[0] * code, 8-bit values being int8; those of
// 4 bits lie in blocks of 32 elements, and to[i] = scales[i / 32] * (value -
// 8). Byte b of the 16 bytes of a block has its elements b (the low half) and
// 16 + b. The last block is whole; only its first n % 32 elements are written.
struct DequantizeRowsQ8Args {
  size_t n;
  const uint8_t* quantized;
  const float* scales;
  float* to;
};

using DequantizeRowsQ8Fn = void(const DequantizeRowsQ8Args& args);

DequantizeRowsQ8Fn dequantize_8bits_q8__scalar, dequantize_8bits_q8__avx2,
    dequantize_8bits_q8__avx512, dequantize_8bits_q8__neon;
DequantizeRowsQ8Fn dequantize_4bits_q8__scalar, dequantize_4bits_q8__avx2,
    dequantize_4bits_q8__avx512, dequantize_4bits_q8__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_QUANTIZE_Q8_DEQUANTIZE_ROWS_Q8_H_
