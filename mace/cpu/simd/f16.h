// F16: a vector of fp16 values (IEEE binary16), with the function names of
// simd.h. Overloads are chosen by the pointer's type, uint16_t. On CPUs without
// vector arithmetic in fp16 it holds a single value, rounded after each
// operation.
// SPDX-License-Identifier: Apache-2.0
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
