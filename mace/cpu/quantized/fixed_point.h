// Integer arithmetic that scales sums of products to quantized values of the
// output, to the bit as TFLite's reference kernels do.
// SPDX-License-Identifier: Apache-2.0
//
// A real factor r >= 0 is mantissa * 2^(exponent - 31). Scaling rounds twice:
// after the multiplication to the nearest, ties up; after the shift to the
// nearest, ties away from zero. Source: gemmlowp's documentation of fixed-point
// arithmetic and TFLite's quantization specification; the results are compared
// with those of LiteRT's reference kernels.
#ifndef MACE_CPU_QUANTIZED_FIXED_POINT_H_
#define MACE_CPU_QUANTIZED_FIXED_POINT_H_

#include <cmath>
#include <cstdint>
#include <limits>

namespace mace::cpu {

// The number mantissa * 2^(exponent - 31); 0 if the mantissa is.
struct FixedFactor {
  int32_t mantissa = 0;  // from ToFixed: 0, or at least 2^30
  int exponent = 0;
};

// Returns the nearest fixed-point factor; factors below 2^-32 become 0. So do
// infinity and NaN, to which scales that differ by many powers of ten may lead:
// the lower 32 bits of a number scaled by 2^32 or more are 0, too. REQUIRES:
// real is not negative.
inline FixedFactor ToFixed(double real) {
  if (real == 0 || !std::isfinite(real)) return {};
  int exponent = 0;
  const double fraction = std::frexp(real, &exponent);
  int64_t mantissa = std::llround(fraction * 2147483648.0);
  if (mantissa == int64_t{1} << 31) {
    mantissa /= 2;
    ++exponent;
  }
  if (exponent < -31) return {};
  return {static_cast<int32_t>(mantissa), exponent};
}

// Returns a * b / 2^31, rounded to the nearest, ties up. Only -2^31 squared
// saturates.
inline int32_t MultiplyHigh(int32_t a, int32_t b) {
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  if (a == kMin && b == kMin) return std::numeric_limits<int32_t>::max();
  const int64_t product = int64_t{a} * b;
  // The quotient is rounded towards zero, so that 1/2 is added to, or almost
  // 1/2 taken off, before.
  const int64_t nudge =
      product >= 0 ? int64_t{1} << 30 : 1 - (int64_t{1} << 30);
  return static_cast<int32_t>((product + nudge) / (int64_t{1} << 31));
}

// Returns a * b / 2^15, rounded to the nearest, ties up. Only -2^15 squared
// saturates. REQUIRES: a and b fit in 16 bits, and then the result does.
inline int32_t MultiplyHigh16(int32_t a, int32_t b) {
  constexpr int32_t kMin = std::numeric_limits<int16_t>::min();
  if (a == kMin && b == kMin) return std::numeric_limits<int16_t>::max();
  const int32_t product = a * b;
  const int32_t nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
  return (product + nudge) / (1 << 15);
}

// Returns x / 2^shift, rounded to the nearest, ties away from zero. REQUIRES:
// 0 <= shift <= 31.
inline int32_t RoundingShift(int32_t x, int shift) {
  const auto mask = static_cast<int32_t>((int64_t{1} << shift) - 1);
  // The bits that are shifted out; those of negative numbers count up from the
  // lower neighbour.
  const int32_t rest = x & mask;
  const int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> shift) + (rest > threshold ? 1 : 0);
}

// Returns x * 2^shift modulo 2^32. REQUIRES: 0 <= shift.
inline int32_t WrappingShift(int32_t x, int shift) {
  if (shift > 31) return 0;
  return static_cast<int32_t>(static_cast<uint32_t>(x) << shift);
}

// Returns x times the factor. A left shift comes before the multiplication and
// may lose the upper bits; a right shift comes after it.
inline int32_t Scale(int32_t x, FixedFactor factor) {
  const int left = factor.exponent > 0 ? factor.exponent : 0;
  const int right = factor.exponent < 0 ? -factor.exponent : 0;
  return RoundingShift(MultiplyHigh(WrappingShift(x, left), factor.mantissa),
                       right);
}

}  // namespace mace::cpu

#endif  // MACE_CPU_QUANTIZED_FIXED_POINT_H_
