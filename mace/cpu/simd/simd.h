// F32: the vector of floats with which micro-kernels are written. Its functions
// have the same names for every instruction set; compiler flags of the file
// choose one.
// SPDX-License-Identifier: Apache-2.0
//
// Each of avx512.h, avx2.h, neon.h and scalar.h defines the same:
//
//   F32, kLanes         a vector of kLanes floats: 16, 8, 4 or 1
//   Mask                a truth value for each lane
//   + - * /             elementwise, operators of the compiler
//   Set1(x)             x in all lanes
//   Load(p)             p[0] to p[kLanes - 1], from any address of a float
//   Store(p, x)         likewise
//   LoadN(p, n)         p[0] to p[n - 1]; other lanes are 0
//   StoreN(p, x, n)     the first n lanes. REQUIRES for both: n <= kLanes.
//                       Nothing behind p[n - 1] is accessed
//   MulAdd(a, b, c)     a * b + c, rounded once where the CPU can
//   Max, Min(a, b)      of NaN and a number, NaN is kept if it is b; NEON keeps
//                       both (kMaxKeepsNan). So what must stay NaN stands last,
//                       and what cannot be NaN, such as a limit, first
//   Sqrt(x)             correctly rounded
//   Abs(x)              x with its sign bit cleared
//   Round(x)            the nearest integer, ties to even. REQUIRES: |x| < 2^22
//   PowerOf2(n)         2^n, by writing the exponent's bits. REQUIRES: n is an
//                       integer in [-126, 127], whose power is a normal number
//   Less(a, b)          a < b; false of NaN
//   IsNan(x)
//   Select(m, yes, no)  yes where m is true, elsewhere no; both are computed
//   Sum(x)              of all lanes, in an order that depends on the CPU
//   Largest(x)          of all lanes. REQUIRES: none is NaN, except on NEON
//
// Functions take vectors by value, are inline and have no state.
// Everything here is in an unnamed namespace, because the same function is
// compiled once for each instruction set. A linker that merged these copies
// could run AVX-512 code on a CPU without it. For the same reason,
// micro-kernels call no inline functions of the standard library: they use
// __builtin_memcpy and the like.
//
// The name of a file ends in its instruction set, *__{isa}.cc, which decides
// its compiler flags (mace/cpu/ukernels/BUILD.bazel). Its functions are called
// only on CPUs that have this instruction set.
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

// min(max(x, lo), hi); NaN stays NaN, as x is the last operand of both.
// REQUIRES: lo and hi are not NaN.
inline F32 Clamp(F32 x, F32 lo, F32 hi) { return Min(hi, Max(lo, x)); }

// The vector type for an element type, for loops that serve several types: here
// for f32, in f16.h for fp16, whose elements are uint16_t. Set1 takes the value
// as a float for every type.
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
