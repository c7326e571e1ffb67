// F32 as 16 lanes of AVX-512.
// SPDX-License-Identifier: Apache-2.0
//
// Contracts are in simd.h. Compiled with AVX-512 F, BW, DQ and VL, which a CPU
// with kCpuAvx512 has.
#ifndef MACE_CPU_SIMD_AVX512_H_
#define MACE_CPU_SIMD_AVX512_H_

#include <immintrin.h>

namespace mace::simd {
namespace {

using F32 = __m512;
using Mask = __mmask16;  // a bit for each lane
constexpr size_t kLanes = 16;
// Whether Max(a, b) is NaN if a or b is.
constexpr bool kMaxKeepsNan = false;

inline F32 Set1(float x) { return _mm512_set1_ps(x); }
inline F32 Load(const float* p) { return _mm512_loadu_ps(p); }
inline void Store(float* p, F32 x) { _mm512_storeu_ps(p, x); }

// Returns a mask of the first n lanes, n <= 16. Loads and stores do not access
// the other lanes, which may be in memory that does not exist.
inline Mask FirstN(size_t n) { return static_cast<Mask>((1u << n) - 1); }
// Loads the first n <= kLanes elements; the others are 0.
inline F32 LoadN(const float* p, size_t n) {
  return _mm512_maskz_loadu_ps(FirstN(n), p);
}
inline void StoreN(float* p, F32 x, size_t n) {
  _mm512_mask_storeu_ps(p, FirstN(n), x);
}

// a * b + c
inline F32 MulAdd(F32 a, F32 b, F32 c) { return _mm512_fmadd_ps(a, b, c); }
// If a or b is NaN, the result is b.
inline F32 Max(F32 a, F32 b) { return _mm512_max_ps(a, b); }
inline F32 Min(F32 a, F32 b) { return _mm512_min_ps(a, b); }
inline F32 Sqrt(F32 x) { return _mm512_sqrt_ps(x); }
inline F32 Abs(F32 x) { return _mm512_abs_ps(x); }
// Rounds to the nearest integer. REQUIRES: |x| < 2^22.
inline F32 Round(F32 x) {
  return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT);
}
// 2^n for an integer n in [-126, 127]: the biased exponent, n + 127, moved to
// its bits.
inline F32 PowerOf2(F32 n) {
  const __m512i e =
      _mm512_add_epi32(_mm512_cvtps_epi32(n), _mm512_set1_epi32(127));
  return _mm512_castsi512_ps(_mm512_slli_epi32(e, 23));
}

// x * 2^n for an integer n, whether or not 2^n is a normal number. math.h has
// the other instruction sets' version.
inline F32 ScaleByPowerOf2(F32 x, F32 n) { return _mm512_scalef_ps(x, n); }

inline Mask Less(F32 a, F32 b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
inline Mask IsNan(F32 x) { return _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q); }
inline F32 Select(Mask m, F32 yes, F32 no) {
  return _mm512_mask_blend_ps(m, no, yes);
}

inline float Sum(F32 x) { return _mm512_reduce_add_ps(x); }
// REQUIRES: no element is NaN, which the maxima may lose.
inline float Largest(F32 x) { return _mm512_reduce_max_ps(x); }

}  // namespace
}  // namespace mace::simd

#endif  // MACE_CPU_SIMD_AVX512_H_
