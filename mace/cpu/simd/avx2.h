// F32 as 8 lanes of AVX2 with FMA.
// SPDX-License-Identifier: Apache-2.0
//
// Contracts are in simd.h. Compiled with -mavx2 -mfma -mf16c, which a CPU with
// kCpuAvx2Fma has.
#ifndef MACE_CPU_SIMD_AVX2_H_
#define MACE_CPU_SIMD_AVX2_H_

#include <immintrin.h>

namespace mace::simd {
namespace {

using F32 = __m256;
using Mask = __m256;  // all bits of a lane are 1, or 0
constexpr size_t kLanes = 8;
// Whether Max(a, b) is NaN if a or b is.
constexpr bool kMaxKeepsNan = false;

inline F32 Set1(float x) { return _mm256_set1_ps(x); }
inline F32 Load(const float* p) { return _mm256_loadu_ps(p); }
inline void Store(float* p, F32 x) { _mm256_storeu_ps(p, x); }

// Returns a mask with all bits of the first n lanes set. Loads and stores do
// not access the other lanes, which may be in memory that does not exist.
inline __m256i FirstN(size_t n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)),
                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
// Loads the first n <= kLanes elements; the others are 0.
inline F32 LoadN(const float* p, size_t n) {
  return _mm256_maskload_ps(p, FirstN(n));
}
inline void StoreN(float* p, F32 x, size_t n) {
  _mm256_maskstore_ps(p, FirstN(n), x);
}

// a * b + c
inline F32 MulAdd(F32 a, F32 b, F32 c) { return _mm256_fmadd_ps(a, b, c); }
// If a or b is NaN, the result is b.
inline F32 Max(F32 a, F32 b) { return _mm256_max_ps(a, b); }
inline F32 Min(F32 a, F32 b) { return _mm256_min_ps(a, b); }
inline F32 Sqrt(F32 x) { return _mm256_sqrt_ps(x); }
// -0.f is the sign bit alone.
inline F32 Abs(F32 x) { return _mm256_andnot_ps(_mm256_set1_ps(-0.f), x); }
// Rounds to the nearest integer. REQUIRES: |x| < 2^22.
inline F32 Round(F32 x) {
  return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
// 2^n for an integer n in [-126, 127]: the biased exponent, n + 127, moved to
// its bits.
inline F32 PowerOf2(F32 n) {
  const __m256i e =
      _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
  return _mm256_castsi256_ps(_mm256_slli_epi32(e, 23));
}

// OQ: false of NaN, without an exception. IsNan: x is unordered with itself.
inline Mask Less(F32 a, F32 b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
inline Mask IsNan(F32 x) { return _mm256_cmp_ps(x, x, _CMP_UNORD_Q); }
inline F32 Select(Mask m, F32 yes, F32 no) {
  return _mm256_blendv_ps(no, yes, m);
}

// Adds halves until one lane is left: 8 to 4, 2 and 1. Largest does the same
// with maxima.
inline float Sum(F32 x) {
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  s = _mm_add_ss(s, _mm_movehdup_ps(s));
  return _mm_cvtss_f32(s);
}
// REQUIRES: no element is NaN, which the maxima may lose.
inline float Largest(F32 x) {
  __m128 m = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  m = _mm_max_ps(m, _mm_movehl_ps(m, m));
  m = _mm_max_ss(m, _mm_movehdup_ps(m));
  return _mm_cvtss_f32(m);
}

}  // namespace
}  // namespace mace::simd

#endif  // MACE_CPU_SIMD_AVX2_H_
