// Micro-kernels between floats and 8-bit values.
// SPDX-License-Identifier: Apache-2.0
//
// Elementwise on contiguous arrays of n elements: the kernels of Quantize and
// Dequantize (mace/cpu/ops) call them for a part of a tensor on each thread.
// All parameters are per tensor. Results are the same on every instruction set,
// to the bit.
//
// Functions read and write exactly n elements, at any n and with the alignment
// of the elements, keep no state and allocate nothing. Inputs and outputs do
// not overlap.
#ifndef MACE_CPU_UKERNELS_QUANTIZE_Q8_QUANTIZE_Q8_H_
#define MACE_CPU_UKERNELS_QUANTIZE_Q8_QUANTIZE_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// quantized[i] = clamp(round(x[i] / scale) + zero_point, least, most), stored
// as a byte: int8 or uint8, as the range has negative values or not. The
// quotient is correctly rounded to float: it is not x[i] times 1 / scale. NaN
// becomes `least`, infinities become the ends of the range. Ties go to the even
// multiple of the scale, or away from zero; then the zero point is added.
//
// REQUIRES: scale > 0; [least, most] is within [-128, 127] or [0, 255].
struct QuantizeQ8Args {
  size_t n;
  const float* x;
  float scale;
  int32_t zero_point;  // in [least, most], as are all values
  int32_t least, most;
  bool ties_to_even;  // as ONNX QuantizeLinear; else as std::round, TFLite
  uint8_t* quantized;
};
using QuantizeQ8Fn = void(const QuantizeQ8Args& args);

// y[i] = scale * (quantized[i] - zero_point), with values of int8 or uint8. The
// difference is exact in integers, and the product is rounded once.
struct DequantizeQ8Args {
  size_t n;
  const uint8_t* quantized;
  bool is_signed;  // int8; else uint8
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
