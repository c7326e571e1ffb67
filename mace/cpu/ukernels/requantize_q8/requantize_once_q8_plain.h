// Scales sums in double precision and rounds them once, sum by sum.
// SPDX-License-Identifier: Apache-2.0
//
// The definition of requantize_once_q8: plain C++ and armv7 compute all columns
// with it, AVX2 and armv8 the columns behind the last whole vector.
#ifndef MACE_CPU_UKERNELS_REQUANTIZE_Q8_REQUANTIZE_ONCE_Q8_PLAIN_H_
#define MACE_CPU_UKERNELS_REQUANTIZE_Q8_REQUANTIZE_ONCE_Q8_PLAIN_H_

#include "mace/cpu/ukernels/requantize_q8/requantize_q8.h"

namespace mace::cpu {
namespace {

// Returns sum + row_add of row i, column j, which wraps around.
inline int32_t SumOf(const RequantizeQ8Tile& t, size_t i, size_t j) {
  const auto add = t.row_add == nullptr ? 0 : t.row_add[i];
  return static_cast<int32_t>(
      static_cast<uint32_t>(t.sums[i * t.sums_stride + j]) +
      static_cast<uint32_t>(add));
}

// Requantizes columns [begin, t.n) of row i. The limits are integers, so that
// they can be applied before rounding; there they keep the compiler from fusing
// the rounding with the multiplication.
inline void RequantizeOnce(const RequantizeQ8Tile& t, size_t i, size_t begin) {
  const double least = double{1} * t.least - t.zero_point;
  const double most = double{1} * t.most - t.zero_point;
  uint8_t* const y = t.y + static_cast<ptrdiff_t>(i) * t.y_stride;
  for (size_t j = begin; j < t.n; ++j) {
    const double real = static_cast<double>(SumOf(t, i, j)) * t.multipliers[j];
    const double above = real > least ? real : least;  // of NaN, too
    const double value = __builtin_round(above < most ? above : most);
    y[j] = static_cast<uint8_t>(static_cast<int32_t>(value) + t.zero_point);
  }
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_REQUANTIZE_Q8_REQUANTIZE_ONCE_Q8_PLAIN_H_
