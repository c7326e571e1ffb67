// Micro-kernels between floats and 8-bit values.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_QUANTIZE_Q8_QUANTIZE_Q8_H_
#define MACE_CPU_UKERNELS_QUANTIZE_Q8_QUANTIZE_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// quantized[i] = clamp(round(x[i] / scale) + zero_point, least, most), which is
// stored as int8 or uint8; NaN becomes `least`. Ties go to the even number of
// scales, or away from zero.
struct QuantizeQ8Args {
  size_t n;
  const float* x;
  float scale;
  int32_t zero_point;  // in [least, most], as are all values
  int32_t least, most;
  bool ties_to_even;
  uint8_t* quantized;
};
using QuantizeQ8Fn = void(const QuantizeQ8Args& args);

// y[i] = scale * (quantized[i] - zero_point), with values of int8 or uint8.
struct DequantizeQ8Args {
  size_t n;
  const uint8_t* quantized;
  bool is_signed;
  float scale;
  int32_t zero_point;
  float* y;
};
using DequantizeQ8Fn = void(const DequantizeQ8Args& args);

QuantizeQ8Fn quantize_q8__scalar, quantize_q8__avx2, quantize_q8__avx512,
    quantize_q8__neon, quantize_q8__aarch64;
DequantizeQ8Fn dequantize_q8__scalar, dequantize_q8__avx2,
    dequantize_q8__avx512, dequantize_q8__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_QUANTIZE_Q8_QUANTIZE_Q8_H_
