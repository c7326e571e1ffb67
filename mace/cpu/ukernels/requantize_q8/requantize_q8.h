// Micro-kernels that requantize sums of products, to the bit as TFLite's
// reference kernels do.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_REQUANTIZE_Q8_REQUANTIZE_Q8_H_
#define MACE_CPU_UKERNELS_REQUANTIZE_Q8_REQUANTIZE_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// Functions may read the factors, and each row of sums, up to the next multiple
// of kRequantizeQ8Columns columns, whatever is there behind column n: memory
// must reach that far from the beginning of the factors and of each row of
// sums. Only n values of a row of y are written.
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
// sum + row_add wraps around, and so does sum * 2^left. Convolutions and GEMMs
// take the first if their OutputStage (mace/cpu/quantized) has multipliers, and
// StageQ8 packs the factors; eltwise_q8.cc takes the second for its products.
// Functions keep no state; y overlaps nothing that is read. Strides count
// elements.
struct RequantizeQ8Tile {
  size_t m, n;
  const int32_t* sums;
  size_t sums_stride;      // between rows
  const int32_t* row_add;  // m; null: zeros
  // n each: a mantissa is 0 or at least 2^30, and at least one of the shifts of
  // a column is 0. requantize_once_q8 does not read them.
  const int32_t* mantissa;
  const int32_t* left;
  const int32_t* right;
  int32_t zero_point;
  // Of int8_t or uint8_t. If least > most, y is `most`; but requantize_q8 with
  // vectors takes bounds of uint8 for int8 if most < 128 <= least.
  int32_t least, most;
  uint8_t* y;
  ptrdiff_t y_stride;  // between rows
  // n factors of requantize_once_q8; the other functions do not read them.
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
