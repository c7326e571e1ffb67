// F16: a vector of fp16 values (IEEE binary16), with the function names of
// simd.h. Overloads are chosen by the pointer's type, uint16_t. On CPUs without
// vector arithmetic in fp16, an F16 holds a single value, which each operation
// rounds to fp16.
// SPDX-License-Identifier: Apache-2.0
//
// Elements in memory are uint16_t, the bits of fp16. f16_arm.h and f16_scalar.h
// define the same, with the contracts of simd.h:
//
//   F16, kFp16Lanes      a vector: 8 lanes, or 1
//   + - *                elementwise, rounded to fp16
//   SetFp16(x)           in all lanes, a float rounded to fp16
//   Load, Store, LoadN, StoreN    of const uint16_t* and uint16_t*
//   MulAdd(a, b, c)      a * b + c, rounded once
//   Max, Min(a, b)       NaN if a or b is
//   WideF16              the elements as floats, where sums need that precision
//     Widen, Narrow      from F16, exact; and back, rounded
//     SetWide(x)         x in all lanes
//     + * MulAdd Sqrt Clamp    as of F32
#ifndef MACE_CPU_SIMD_F16_H_
#define MACE_CPU_SIMD_F16_H_

#include "mace/cpu/simd/simd.h"

#if defined(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC) && !defined(MACE_SIMD_SCALAR)
#include "mace/cpu/simd/f16_arm.h"
#else
#include "mace/cpu/simd/f16_scalar.h"
#endif

namespace mace::simd {
namespace {

// As Clamp of F32; the limits are not NaN.
inline F16 Clamp(F16 x, F16 lo, F16 hi) { return Min(hi, Max(lo, x)); }

template <>
struct VectorOf<uint16_t> {
  using Type = F16;
  static constexpr size_t kLanes = kFp16Lanes;
  static Type Set1(float x) { return SetFp16(x); }
};

}  // namespace
}  // namespace mace::simd

#endif  // MACE_CPU_SIMD_F16_H_
