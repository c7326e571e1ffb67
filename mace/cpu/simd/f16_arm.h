// F16 as 8 lanes of armv8.2, and as two F32 where sums need more precision.
// SPDX-License-Identifier: Apache-2.0
//
// Contracts are in f16.h, which includes this file after simd.h: Sqrt and Clamp
// of WideF16 call those of F32. For *__fp16.cc, on CPUs with kCpuFp16.
#ifndef MACE_CPU_SIMD_F16_ARM_H_
#define MACE_CPU_SIMD_F16_ARM_H_

#include <arm_neon.h>

namespace mace::simd {
namespace {

using F16 = float16x8_t;
constexpr size_t kFp16Lanes = 8;

inline F16 SetFp16(float x) { return vdupq_n_f16(static_cast<float16_t>(x)); }
inline F16 Load(const uint16_t* p) {
  return vreinterpretq_f16_u16(vld1q_u16(p));
}
inline void Store(uint16_t* p, F16 x) {
  vst1q_u16(p, vreinterpretq_u16_f16(x));
}

// Loads the first n <= kFp16Lanes elements; the others are 0. LoadN and StoreN
// copy through memory: a loop calls them once for a row, at its end.
inline F16 LoadN(const uint16_t* p, size_t n) {
  uint16_t all[kFp16Lanes] = {0};
  for (size_t i = 0; i < n; ++i) all[i] = p[i];
  return Load(all);
}
inline void StoreN(uint16_t* p, F16 x, size_t n) {
  uint16_t all[kFp16Lanes];
  Store(all, x);
  for (size_t i = 0; i < n; ++i) p[i] = all[i];
}

// a * b + c
inline F16 MulAdd(F16 a, F16 b, F16 c) { return vfmaq_f16(c, a, b); }
// If a or b is NaN, the result is NaN.
inline F16 Max(F16 a, F16 b) { return vmaxq_f16(a, b); }
inline F16 Min(F16 a, F16 b) { return vminq_f16(a, b); }

// The elements of an F16 as floats: lanes 0 to 3 and 4 to 7.
struct WideF16 {
  float32x4_t low, high;
};
inline WideF16 Widen(F16 x) {
  return {vcvt_f32_f16(vget_low_f16(x)), vcvt_high_f32_f16(x)};
}
// Rounds to the nearest, ties to even; magnitudes from 65520 on become
// infinity.
inline F16 Narrow(WideF16 x) {
  return vcvt_high_f16_f32(vcvt_f16_f32(x.low), x.high);
}
inline WideF16 SetWide(float x) { return {vdupq_n_f32(x), vdupq_n_f32(x)}; }
inline WideF16 operator+(WideF16 a, WideF16 b) {
  return {a.low + b.low, a.high + b.high};
}
inline WideF16 operator*(WideF16 a, WideF16 b) {
  return {a.low * b.low, a.high * b.high};
}
inline WideF16 MulAdd(WideF16 a, WideF16 b, WideF16 c) {
  return {vfmaq_f32(c.low, a.low, b.low), vfmaq_f32(c.high, a.high, b.high)};
}
inline WideF16 Sqrt(WideF16 x) { return {Sqrt(x.low), Sqrt(x.high)}; }
inline WideF16 Clamp(WideF16 x, WideF16 lo, WideF16 hi) {
  return {Clamp(x.low, lo.low, hi.low), Clamp(x.high, lo.high, hi.high)};
}

}  // namespace
}  // namespace mace::simd

#endif  // MACE_CPU_SIMD_F16_ARM_H_
