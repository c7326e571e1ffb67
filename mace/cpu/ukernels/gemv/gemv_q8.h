// Matrix-vector micro-kernels for weights stored as int8 or int4:
// y = clamp(w * x + bias), with w stored by rows.
// SPDX-License-Identifier: Apache-2.0
//
// Weights are dequantized in registers and multiplied in float32. x is not
// quantized, so that results differ from those of dequantized weights by
// rounding only. With q the values of row i:
//
//   int8   w * x = scale[i] * sum over j of q[j] * x[j]
//   int4   w * x = sum over blocks b of
//                    scale[i][b] * sum over the block of (q[j] - 8) * x[j]
//
// The last block of int4 has all its 16 bytes; values from column k on are
// multiplied by zero. As in gemv_f32.h, functions keep no state, operands need
// only the alignment of their elements, nothing beyond them is read or written,
// y overlaps no other operand, and NaN stays NaN.
#ifndef MACE_CPU_UKERNELS_GEMV_GEMV_Q8_H_
#define MACE_CPU_UKERNELS_GEMV_GEMV_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// The values of a row are those of dequantize_rows_q8.h:
//
//   int8   [k] bytes
//   int4   [ceil(k / 32)][16] bytes; byte b of a block has columns b (its low
//          half) and 16 + b
struct GemvQ8Args {
  size_t n;  // rows of w and elements of y
  size_t k;  // columns of w and elements of x
  const uint8_t* quantized;
  size_t row_bytes;  // from the values of a row to those of the next one
  // int8: float [n]. int4: fp16 [n][row_scales], one for each block of 32
  // columns; any fp16 numbers, subnormal ones and NaN too.
  const void* scales;
  size_t row_scales;  // not read for int8
  const float* x;
  const float* bias;  // n floats; null: zeros
  float* y;
  float lower, upper;  // infinite where there is no bound
};

// The result of a row does not depend on the rows around it.
using GemvQ8Fn = void(const GemvQ8Args& args);

// simd__{isa}.cc define these functions from gemv_q8_rows.h.
GemvQ8Fn gemv_8bits_q8__scalar, gemv_8bits_q8__avx2, gemv_8bits_q8__avx512,
    gemv_8bits_q8__neon;
GemvQ8Fn gemv_4bits_q8__scalar, gemv_4bits_q8__avx2, gemv_4bits_q8__avx512,
    gemv_4bits_q8__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMV_GEMV_Q8_H_
