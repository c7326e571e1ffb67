// F16 as one fp16 value in plain C++: the definition for the other files.
// SPDX-License-Identifier: Apache-2.0
//
// Contracts are in f16.h. For *__scalar.cc on every CPU: with it, tests compute
// what the instructions for fp16 must give.
//
// An operation is computed in double precision and rounded to fp16. Sums and
// products of two fp16 values are exact in double, so that the result is
// rounded once; so is a * b + c, unless the bits of a * b and c together take
// more than the 53 of a double.
//
// Load and Store pass through floats below 2^-126 for fp16 values below 2^-14.
// On threads that flush denormals (mace/base/denormals.h), these become 0.
#ifndef MACE_CPU_SIMD_F16_SCALAR_H_
#define MACE_CPU_SIMD_F16_SCALAR_H_

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

// The 10 bits of digits move to those of a float, 13 bits higher, and with them
// the exponent, whose bias is 15 in fp16 and 127 in floats: the number is 2^112
// times too small. Scaling corrects it, also for values without an implicit
// bit. Infinity and NaN keep the largest exponent.
inline F16 Load(const uint16_t* p) {
  const uint32_t magnitude = *p & 0x7fff;
  const uint32_t bits = magnitude < 0x7c00
                            ? magnitude << 13
                            : 0x7f800000 | (magnitude - 0x7c00) << 13;
  float x;
  __builtin_memcpy(&x, &bits, sizeof(x));
  if (magnitude < 0x7c00) x *= 0x1p112f;
  return {*p & 0x8000 ? -x : x};
}

// The reverse. No bits are lost, as x is an fp16 value. NaN is stored as one
// NaN, with its sign.
inline void Store(uint16_t* p, F16 x) {
  const uint16_t sign = __builtin_signbit(x.value) ? 0x8000 : 0;
  const float scaled = __builtin_fabsf(x.value) * 0x1p-112f;
  uint32_t bits;
  __builtin_memcpy(&bits, &scaled, sizeof(bits));
  const bool is_nan = x.value != x.value;
  if (is_nan) {
    *p = sign | 0x7e00;
  } else if (__builtin_isinf(x.value)) {
    *p = sign | 0x7c00;
  } else {
    *p = static_cast<uint16_t>(sign | bits >> 13);
  }
}

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
