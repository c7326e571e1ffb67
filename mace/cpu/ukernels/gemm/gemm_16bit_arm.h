// The end of the bf16 and fp16 GEMM tiles on armv8: adds f32 sums to c.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_16BIT_ARM_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_16BIT_ARM_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/gemm/gemm.h"

namespace mace::cpu {
namespace {

// Adds `start` and `addend` (null means zeros) to kVectors vectors of adjacent
// columns, clamps the sums and stores them as a row of c. The row has `n`
// elements, in [1, kVectors * 4]; nothing is read or written beyond them.
// `start` is the bias, or c if c has the sum of earlier blocks. A caller that
// adds blocks passes infinite bounds until the last one. `start` and `addend`
// may be c itself, since each vector is read before it is written.
//
// Callers pass n as a constant if all columns exist: the compiler then removes
// the tests of n.
template <int kVectors>
inline void AddRow(const simd::F32 (&sums)[kVectors], const float* start,
                   const float* addend, size_t n, float lower, float upper,
                   float* c) {
  using namespace simd;
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    const size_t first = v * kLanes;
    if (first >= n) return;
    const size_t lanes = n - first < kLanes ? n - first : kLanes;
    F32 y = sums[v];
    if (start != nullptr) y = y + LoadN(start + first, lanes);
    if (addend != nullptr) y = y + LoadN(addend + first, lanes);
    StoreN(c + first, Clamp(y, Set1(lower), Set1(upper)), lanes);
  }
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_16BIT_ARM_H_
