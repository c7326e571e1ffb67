// The GEMM tile that broadcasts each element of a to all lanes and multiplies
// it with vectors of b, for CPUs that can broadcast while loading.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_F32_BROADCAST_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_F32_BROADCAST_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/gemm/gemm.h"
#include "mace/cpu/ukernels/gemm/gemm_f32_tile.h"

namespace mace::cpu {
namespace {

template <int kRows, int kVectors>
struct BroadcastLoop {
  using F32 = simd::F32;

  // Prefetches a row of packed b that is needed after this segment: of the next
  // segment or panel, which may have to come from memory. Harmless beyond the
  // end of b.
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
  // read of b.
  template <int kPackedVectors>
  static inline const float* Run(const float* a, ptrdiff_t a_stride, size_t k,
                                 const float* b, F32 (&acc)[kRows][kVectors]) {
    const size_t segment = k;
    for (; k > 0; --k, ++a, b += kPackedVectors * simd::kLanes) {
      // A single row computes too little to pay for it.
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
