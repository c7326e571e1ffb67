// The reciprocal root by Newton's method.
// SPDX-License-Identifier: Apache-2.0
//
// Source: the arithmetic of TFLite's quantized L2 normalization; numbers have 3
// integer bits (see fixed_exp.h), so that products have 6 and cubes 9.

#include "mace/cpu/quantized/fixed_root.h"

namespace mace::cpu {
namespace {

// Returns x * 2^shift, saturated.
int32_t SaturatingShift(int32_t x, int shift) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int32_t>::min();
  const int64_t y = int64_t{x} * (int64_t{1} << shift);
  return static_cast<int32_t>(y > kMax ? kMax : y < kMin ? kMin : y);
}

}  // namespace

FixedFactor InverseRoot(int32_t x) {
  if (x <= 1) return {std::numeric_limits<int32_t>::max(), 0};
  int shift = 11;
  for (; x >= 1 << 29; ++shift) x /= 4;
  const int pairs = (__builtin_clz(static_cast<uint32_t>(x)) - 1) / 2 - 1;
  shift -= pairs;
  x <<= 2 * pairs;
  const int32_t half = RoundingShift(x >> 1, 1);
  constexpr int32_t kOneAndAHalf = 3 << 27;
  int32_t y = 1 << 28;
  for (int i = 0; i < 5; ++i) {
    const int32_t cube =
        SaturatingShift(MultiplyHigh(MultiplyHigh(y, y), y), 6);
    y = SaturatingShift(
        MultiplyHigh(kOneAndAHalf, y) - MultiplyHigh(half, cube), 3);
  }
  constexpr int32_t kRootOfHalf = 1518500250;  // without integer bits
  y = MultiplyHigh(y, kRootOfHalf);
  if (shift < 0) {
    y = WrappingShift(y, -shift);
    shift = 0;
  }
  return {y, -shift};
}

}  // namespace mace::cpu
