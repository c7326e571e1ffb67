// F32 as a single float, for CPUs whose vector unit is not supported.
// SPDX-License-Identifier: Apache-2.0
//
// Contracts are in simd.h. It is also the definition with which tests compare
// the others: *__scalar.cc are compiled with MACE_SIMD_SCALAR.
#ifndef MACE_CPU_SIMD_SCALAR_H_
#define MACE_CPU_SIMD_SCALAR_H_

namespace mace::simd {
namespace {

using F32 = float;
using Mask = bool;
constexpr size_t kLanes = 1;
// Whether Max(a, b) is NaN if a or b is.
constexpr bool kMaxKeepsNan = false;

inline F32 Set1(float x) { return x; }
inline F32 Load(const float* p) { return *p; }
inline void Store(float* p, F32 x) { *p = x; }
// Loads the first n <= kLanes elements; the others are 0.
inline F32 LoadN(const float* p, size_t n) { return n > 0 ? *p : 0; }
inline void StoreN(float* p, F32 x, size_t n) {
  if (n > 0) *p = x;
}

// a * b + c, rounded once or twice, as the compiler chooses.
inline F32 MulAdd(F32 a, F32 b, F32 c) { return a * b + c; }
// If a or b is NaN, the result is b.
inline F32 Max(F32 a, F32 b) { return a > b ? a : b; }
inline F32 Min(F32 a, F32 b) { return a < b ? a : b; }
inline F32 Sqrt(F32 x) { return __builtin_sqrtf(x); }
inline F32 Abs(F32 x) { return __builtin_fabsf(x); }
// Rounds to the nearest integer. REQUIRES: |x| < 2^22.
inline F32 Round(F32 x) { return __builtin_rintf(x); }
// 2^n for an integer n in [-126, 127].
inline F32 PowerOf2(F32 n) {
  // Adding 1.5 * 2^23 moves an integer into the lowest bits, n + 127 here; the
  // bits above it leave the number when these are moved to the exponent's.
  const F32 shifted = n + (12582912.f + 127.f);
  uint32_t bits;
  __builtin_memcpy(&bits, &shifted, sizeof(bits));
  bits <<= 23;
  F32 power;
  __builtin_memcpy(&power, &bits, sizeof(power));
  return power;
}

inline Mask Less(F32 a, F32 b) { return a < b; }
inline Mask IsNan(F32 x) { return x != x; }
inline F32 Select(Mask m, F32 yes, F32 no) { return m ? yes : no; }

inline float Sum(F32 x) { return x; }
inline float Largest(F32 x) { return x; }

}  // namespace
}  // namespace mace::simd

#endif  // MACE_CPU_SIMD_SCALAR_H_
