// F16 as one fp16 value in plain C++: the definition for the other files.
// SPDX-License-Identifier: Apache-2.0
//
// Contracts are in f16.h. For *__scalar.cc on every CPU: with it, tests compute
// what the instructions for fp16 must give.
//
// An operation is computed in double precision and rounded to fp16. Sums and
// products of two fp16 values are exact in double, so that the result is
// rounded once. a * b + c, too, is as if rounded once: where it has more than
// the 53 bits of a double, either the product is too small to change the fp16
// value c, or the result is infinity.
#ifndef MACE_CPU_SIMD_F16_SCALAR_H_
#define MACE_CPU_SIMD_F16_SCALAR_H_

#include "mace/cpu/simd/fp16_bits.h"

namespace mace::simd {
namespace {

// An fp16 value as a float, which holds each of them exactly.
struct F16 {
  float value;
};
constexpr size_t kFp16Lanes = 1;

// Rounds to the nearest fp16 value, ties to even. 65504 is the largest one;
// from 65520 on, half way from it to 2^16, numbers become infinity. Below that,
// x is rounded to a multiple of ulp, the distance of fp16 values of its size:
// values have 11 bits, but fewer below 2^-14.
inline F16 RoundToFp16(double x) {
  const double magnitude = __builtin_fabs(x);
  if (magnitude >= 65520) {
    return {x < 0 ? -__builtin_inff() : __builtin_inff()};
  }
  // 0 keeps its sign, NaN stays NaN.
  if (!(magnitude > 0)) return {static_cast<float>(x)};
  int exponent = 0;
  __builtin_frexp(magnitude, &exponent);
  if (exponent < -13) exponent = -13;  // subnormal below 2^-14
  const double ulp = __builtin_ldexp(1, exponent - 11);
  return {static_cast<float>(__builtin_rint(x / ulp) * ulp)};
}

inline F16 SetFp16(float x) { return RoundToFp16(double{x}); }

inline F16 Load(const uint16_t* p) { return {FloatOfFp16(*p)}; }
inline void Store(uint16_t* p, F16 x) { *p = Fp16OfFloat(x.value); }

inline F16 LoadN(const uint16_t* p, size_t n) {
  return n > 0 ? Load(p) : F16{0};
}
inline void StoreN(uint16_t* p, F16 x, size_t n) {
  if (n > 0) Store(p, x);
}

inline F16 operator+(F16 a, F16 b) {
  return RoundToFp16(double{a.value} + b.value);
}
inline F16 operator-(F16 a, F16 b) {
  return RoundToFp16(double{a.value} - b.value);
}
inline F16 operator*(F16 a, F16 b) {
  return RoundToFp16(double{a.value} * b.value);
}
inline F16 MulAdd(F16 a, F16 b, F16 c) {
  return RoundToFp16(double{a.value} * b.value + c.value);
}
// If a or b is NaN, the result is NaN.
inline F16 Max(F16 a, F16 b) {
  return a.value != a.value || a.value > b.value ? a : b;
}
inline F16 Min(F16 a, F16 b) {
  return a.value != a.value || a.value < b.value ? a : b;
}

// An fp16 value as a float, where sums need more precision.
struct WideF16 {
  float value;
};
inline WideF16 Widen(F16 x) { return {x.value}; }
inline F16 Narrow(WideF16 x) { return SetFp16(x.value); }
inline WideF16 SetWide(float x) { return {x}; }
inline WideF16 operator+(WideF16 a, WideF16 b) { return {a.value + b.value}; }
inline WideF16 operator*(WideF16 a, WideF16 b) { return {a.value * b.value}; }
inline WideF16 MulAdd(WideF16 a, WideF16 b, WideF16 c) {
  return {a.value * b.value + c.value};
}
inline WideF16 Sqrt(WideF16 x) { return {__builtin_sqrtf(x.value)}; }
inline WideF16 Clamp(WideF16 x, WideF16 lo, WideF16 hi) {
  const float y = x.value > lo.value || x.value != x.value ? x.value : lo.value;
  return {y < hi.value || y != y ? y : hi.value};
}

}  // namespace
}  // namespace mace::simd

#endif  // MACE_CPU_SIMD_F16_SCALAR_H_
