// F32: the vector of floats with which micro-kernels are written. Its functions
// have the same names for every instruction set; compiler flags of the file
// choose one.
// SPDX-License-Identifier: Apache-2.0
//
// F32 also has the elementwise operators + - * /.
//
// Everything here is in an unnamed namespace, because the same function is
// compiled once for each instruction set. A linker that merged these copies
// could run AVX-512 code on a CPU without it. For the same reason,
// micro-kernels call no inline functions of the standard library.
#ifndef MACE_CPU_SIMD_SIMD_H_
#define MACE_CPU_SIMD_SIMD_H_

#include <cstddef>
#include <cstdint>

#if defined(MACE_SIMD_SCALAR)  // from the BUILD file, for *__scalar.cc
#include "mace/cpu/simd/scalar.h"
#elif defined(__AVX512F__)
#include "mace/cpu/simd/avx512.h"
#elif defined(__AVX2__)
#include "mace/cpu/simd/avx2.h"
#elif defined(__ARM_NEON)
#include "mace/cpu/simd/neon.h"
#else
#include "mace/cpu/simd/scalar.h"
#endif

namespace mace::simd {
namespace {

// min(max(x, lo), hi); NaN stays NaN.
inline F32 Clamp(F32 x, F32 lo, F32 hi) { return Min(hi, Max(lo, x)); }

// The vector type for an element type, for loops that serve several types.
template <typename T>
struct VectorOf;
template <>
struct VectorOf<float> {
  using Type = F32;
  static constexpr size_t kLanes = simd::kLanes;
  static Type Set1(float x) { return simd::Set1(x); }
};

}  // namespace
}  // namespace mace::simd

#include "mace/cpu/simd/math.h"

#endif  // MACE_CPU_SIMD_SIMD_H_
