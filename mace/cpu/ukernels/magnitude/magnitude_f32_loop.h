// The implementation of the micro-kernels for magnitudes.
// SPDX-License-Identifier: Apache-2.0
//
// Included by simd__{scalar,avx2,avx512,neon}.cc, which define magnitude_f32__*
// by FindMagnitude.
#ifndef MACE_CPU_UKERNELS_MAGNITUDE_MAGNITUDE_F32_LOOP_H_
#define MACE_CPU_UKERNELS_MAGNITUDE_MAGNITUDE_F32_LOOP_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/magnitude/magnitude_f32.h"

namespace mace::cpu {
namespace {

// The sums and maxima so far, of every lane. Several vectors at a time hide the
// latency of additions.
struct MagnitudeLoop {
  static constexpr size_t kAtOnce = 4;
  simd::F32 sum[kAtOnce], largest[kAtOnce];

  // Adds a vector to the k-th sum and maximum. Zeros, as behind the end of a
  // row, change nothing. Max may lose NaN; the sum keeps it.
  void Add(size_t k, simd::F32 x) {
    const simd::F32 size = simd::Abs(x);
    sum[k] = sum[k] + size;
    largest[k] = simd::Max(size, largest[k]);
  }
};

// A MagnitudeF32Fn. The vectors of a row and the accumulators that take them,
// which are the same for all rows:
//
//   vectors       | 0 1 2 3 | 4 5 6 7 | .. | up to 3 whole | a partial one |
//   accumulators    0 1 2 3   0 1 2 3        0 0 0           1
inline MagnitudeF32 FindMagnitude(const MagnitudeF32Rows& rows) {
  MagnitudeLoop loop;
  for (size_t k = 0; k < loop.kAtOnce; ++k) {
    loop.sum[k] = loop.largest[k] = simd::Set1(0);
  }
  for (size_t r = 0; r < rows.count; ++r) {
    const float* const x = rows.rows[r];
    size_t i = 0;
    for (; i + loop.kAtOnce * simd::kLanes <= rows.n;
         i += loop.kAtOnce * simd::kLanes) {
      for (size_t k = 0; k < loop.kAtOnce; ++k) {
        loop.Add(k, simd::Load(x + i + k * simd::kLanes));
      }
    }
    for (; i + simd::kLanes <= rows.n; i += simd::kLanes) {
      loop.Add(0, simd::Load(x + i));
    }
    if (i < rows.n) loop.Add(1, simd::LoadN(x + i, rows.n - i));
  }
  for (size_t k = 1; k < loop.kAtOnce; ++k) {
    loop.sum[0] = loop.sum[0] + loop.sum[k];
    loop.largest[0] = simd::Max(loop.largest[0], loop.largest[k]);
  }
  return {simd::Largest(loop.largest[0]), simd::Sum(loop.sum[0])};
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_MAGNITUDE_MAGNITUDE_F32_LOOP_H_
