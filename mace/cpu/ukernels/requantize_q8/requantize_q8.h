// Micro-kernels that requantize sums of products, to the bit as TFLite's
// reference kernels do.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_REQUANTIZE_Q8_REQUANTIZE_Q8_H_
#define MACE_CPU_UKERNELS_REQUANTIZE_Q8_REQUANTIZE_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// Rows of factors and of sums may be read, but do not matter, up to the next
// multiple of so many columns: arrays of factors are that long, and there is
// memory of that length behind the last row of sums. Only n values of a row of
// y are written.
constexpr size_t kRequantizeQ8Columns = 64;

// m rows of n sums. The quantized value of a sum is
//
//   clamp(scaled(sum + row_add) + zero_point)
//
// where scaled is one of these:
// - sum * multiplier in double precision, rounded to the nearest, ties away
//   from zero (requantize_once_q8)
// - in fixed point, rounded twice (requantize_q8): sum * 2^left is multiplied
//   by mantissa / 2^31 and rounded to the nearest, ties up; then divided by
//   2^right and rounded to the nearest, ties away from zero.
//
// The second is MultiplyByQuantizedMultiplier of TFLite's reference kernels.
// sum + row_add wraps around. StageQ8 (mace/cpu/quantized) decides which of the
// two a convolution or GEMM takes, and packs the factors; eltwise_q8.cc takes
// the second for its products. Functions keep no state; y overlaps nothing that
// is read. Strides count elements.
struct RequantizeQ8Tile {
  size_t m, n;
  const int32_t* sums;
  size_t sums_stride;      // between rows
  const int32_t* row_add;  // m; null: zeros
  // n each: mantissa is 0 or at least 2^30, one of the shifts is 0.
  const int32_t* mantissa;
  const int32_t* left;
  const int32_t* right;
  int32_t zero_point;
  int32_t least, most;  // values, of int8_t or uint8_t; `most` wins
  uint8_t* y;
  ptrdiff_t y_stride;  // between rows
  // n; of requantize_once_q8, which reads no mantissas.
  const double* multipliers = nullptr;
};

using RequantizeQ8Fn = void(const RequantizeQ8Tile& tile);

RequantizeQ8Fn requantize_q8__scalar, requantize_q8__avx2,
    requantize_q8__avx512, requantize_q8__neon, requantize_q8__aarch64;
RequantizeQ8Fn requantize_once_q8__scalar, requantize_once_q8__avx2,
    requantize_once_q8__avx512, requantize_once_q8__neon,
    requantize_once_q8__aarch64;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_REQUANTIZE_Q8_REQUANTIZE_Q8_H_
