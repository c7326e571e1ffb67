// Matrix-vector micro-kernels for weights stored as int8 or int4:
// y = clamp(w * x + bias), with w stored by rows.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_GEMV_GEMV_Q8_H_
#define MACE_CPU_UKERNELS_GEMV_GEMV_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// The values of a row are those of dequantize_rows_q8.h.
struct GemvQ8Args {
  size_t n;  // rows of w and elements of y
  size_t k;  // columns of w and elements of x
  const uint8_t* quantized;
  size_t row_bytes;  // from the values of a row to those of the next one
  // Int8 of 8 bits: float [n]. Int8 of 4 bits: fp16 [n][row_scales], one for
  // each block of 32 columns.
  const void* scales;
  size_t row_scales;
  const float* x;
  const float* bias;  // n floats; null: zeros
  float* y;
  float lower, upper;
};

// The result of a row does not depend on the rows around it.
using GemvQ8Fn = void(const GemvQ8Args& args);

GemvQ8Fn gemv_8bits_q8__scalar, gemv_8bits_q8__avx2, gemv_8bits_q8__avx512,
    gemv_8bits_q8__neon;
GemvQ8Fn gemv_4bits_q8__scalar, gemv_4bits_q8__avx2, gemv_4bits_q8__avx512,
    gemv_4bits_q8__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMV_GEMV_Q8_H_
