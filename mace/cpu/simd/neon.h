// F32 as 4 lanes of NEON, for armv8 or armv7 with vfpv4.
// SPDX-License-Identifier: Apache-2.0
//
// Contracts are in simd.h. Included by *__neon.cc, for armv7 and armv8, and by
// the files for armv8 and its extensions. armv7 has no vector instructions for
// division, square roots, rounding or the sum of all lanes, and its vector
// instructions flush denormals.
#ifndef MACE_CPU_SIMD_NEON_H_
#define MACE_CPU_SIMD_NEON_H_

#include <arm_neon.h>

namespace mace::simd {
namespace {

using F32 = float32x4_t;
using Mask = uint32x4_t;  // all bits of a lane are 1, or 0
constexpr size_t kLanes = 4;
// Whether Max(a, b) is NaN if a or b is.
constexpr bool kMaxKeepsNan = true;

inline F32 Set1(float x) { return vdupq_n_f32(x); }
inline F32 Load(const float* p) { return vld1q_f32(p); }
inline void Store(float* p, F32 x) { vst1q_f32(p, x); }

// Loads the first n <= kLanes elements; the others are 0. NEON has no masks:
// bit 1 of n takes a pair, bit 0 one element behind it.
inline F32 LoadN(const float* p, size_t n) {
  if (n == 4) return vld1q_f32(p);
  float32x2_t end = vdup_n_f32(0);  // behind the first pair, if there is one
  if ((n & 1) != 0) end = vld1_lane_f32(p + (n & 2), end, 0);
  if ((n & 2) == 0) return vcombine_f32(end, vdup_n_f32(0));
  return vcombine_f32(vld1_f32(p), end);
}
inline void StoreN(float* p, F32 x, size_t n) {
  if (n == 4) return vst1q_f32(p, x);
  float32x2_t end = vget_low_f32(x);
  if ((n & 2) != 0) {
    vst1_f32(p, end);
    end = vget_high_f32(x);
  }
  if ((n & 1) != 0) vst1_lane_f32(p + (n & 2), end, 0);
}

// a * b + c
inline F32 MulAdd(F32 a, F32 b, F32 c) { return vfmaq_f32(c, a, b); }
// If a or b is NaN, the result is NaN.
inline F32 Max(F32 a, F32 b) { return vmaxq_f32(a, b); }
inline F32 Min(F32 a, F32 b) { return vminq_f32(a, b); }
inline F32 Abs(F32 x) { return vabsq_f32(x); }

inline Mask Less(F32 a, F32 b) { return vcltq_f32(a, b); }
// NaN is not equal to itself.
inline Mask IsNan(F32 x) { return vmvnq_u32(vceqq_f32(x, x)); }
inline F32 Select(Mask m, F32 yes, F32 no) { return vbslq_f32(m, yes, no); }

// 2^n for an integer n in [-126, 127]: the biased exponent, n + 127, moved to
// its bits.
inline F32 PowerOf2(F32 n) {
  const int32x4_t e = vaddq_s32(vcvtq_s32_f32(n), vdupq_n_s32(127));
  return vreinterpretq_f32_s32(vshlq_n_s32(e, 23));
}

#if defined(__aarch64__)
inline F32 Sqrt(F32 x) { return vsqrtq_f32(x); }
// Rounds to the nearest integer. REQUIRES: |x| < 2^22.
inline F32 Round(F32 x) { return vrndnq_f32(x); }
inline float Sum(F32 x) { return vaddvq_f32(x); }
// NaN if any element is NaN.
inline float Largest(F32 x) { return vmaxvq_f32(x); }
#else
inline F32 Sqrt(F32 x) {
  for (int i = 0; i < 4; ++i) x[i] = __builtin_sqrtf(x[i]);
  return x;
}
inline F32 Round(F32 x) {
  // Adding 1.5 * 2^23 leaves no bits for the fraction.
  const F32 magic = vdupq_n_f32(12582912.f);
  return vsubq_f32(vaddq_f32(x, magic), magic);
}
inline float Sum(F32 x) {
  const float32x2_t s = vadd_f32(vget_low_f32(x), vget_high_f32(x));
  return vget_lane_f32(vpadd_f32(s, s), 0);
}
inline float Largest(F32 x) {
  const float32x2_t m = vmax_f32(vget_low_f32(x), vget_high_f32(x));
  return vget_lane_f32(vpmax_f32(m, m), 0);
}
#endif

}  // namespace
}  // namespace mace::simd

#endif  // MACE_CPU_SIMD_NEON_H_
