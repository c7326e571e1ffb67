// The GEMM tile that broadcasts each element of a to all lanes and multiplies
// it with vectors of b, for CPUs that can broadcast while loading.
// SPDX-License-Identifier: Apache-2.0
//
// One step of k, with two vectors:
//
//              b  [ bv[0]     | bv[1]     ]   loaded once for all rows
//   a[0] --> av   [ acc[0][0] | acc[0][1] ]   acc[r][v] += av * bv[v]
//   a[1] --> av   [ acc[1][0] | acc[1][1] ]   one register for av, for all rows
//   ...
//
// Registers: kRows * kVectors accumulators, kVectors of b, and one that x86 may
// save by reading a from memory. Two FMA units with a latency of 4 are busy
// with 8 accumulators or more; further ones lower the share of loads, kVectors
// + kRows for kRows * kVectors FMAs.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_F32_BROADCAST_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_F32_BROADCAST_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/gemm/gemm.h"
#include "mace/cpu/ukernels/gemm/gemm_f32_tile.h"

namespace mace::cpu {
namespace {

// A Loop of gemm_f32_tile.h.
template <int kRows, int kVectors>
struct BroadcastLoop {
  using F32 = simd::F32;

  // Prefetches a row of packed b that is needed after this segment: of the next
  // segment or panel, which may have to come from memory. Each step prefetches
  // the row that is k rows further, so that after k steps the next k rows are
  // on their way. Prefetches to the L2 cache, since L1 has other use until
  // then. Harmless beyond the end of b.
  template <int kPackedVectors>
  static inline void PrefetchNext(const float* b, size_t k) {
    constexpr size_t kLineFloats = 16;
    b += k * kPackedVectors * simd::kLanes;
#pragma GCC unroll 16
    for (size_t i = 0; i < kPackedVectors * simd::kLanes; i += kLineFloats) {
      __builtin_prefetch(b + i, /*rw=*/0, /*locality=*/2);
    }
  }

  // Multiplies a segment of k floats of each row. Returns the end of what it
  // read of b: k rows of kPackedVectors vectors, of which the first kVectors
  // are used.
  template <int kPackedVectors>
  static inline const float* Run(const float* a, ptrdiff_t a_stride, size_t k,
                                 const float* b, F32 (&acc)[kRows][kVectors]) {
    const size_t segment = k;
    for (; k > 0; --k, ++a, b += kPackedVectors * simd::kLanes) {
      // A single row computes too little to pay for prefetching.
      if (kRows > 1) PrefetchNext<kPackedVectors>(b, segment);
      F32 bv[kVectors];
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) {
        bv[v] = simd::Load(b + v * simd::kLanes);
      }
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const F32 av = simd::Set1(a[r * a_stride]);
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) {
          acc[r][v] = simd::MulAdd(av, bv[v], acc[r][v]);
        }
      }
    }
    return b;
  }
};

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_F32_BROADCAST_H_
