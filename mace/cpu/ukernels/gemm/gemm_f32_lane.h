// The GEMM tile that loads four elements of a row of a at once and multiplies
// vectors of b with each of its lanes, for NEON.
// SPDX-License-Identifier: Apache-2.0
//
// Four steps of k, with two vectors to a row of b:
//
//                            b, k + 0   [ b0 | b1 ]
//   a[0] = k+0 k+1 k+2 k+3   b, k + 1   [ b0 | b1 ]     acc[r][v] += b * a[r]
//   a[1] = ...               b, k + 2   [ b0 | b1 ]     [lane], one after the
//   ...                      b, k + 3   [ b0 | b1 ]     other for lanes 0 to 3
//
// One load of a serves four steps, because an FMA takes a lane of a register.
// Registers of armv8 (32) for 8 x 2: 16 accumulate, 8 hold a; of armv7 (16) for
// 4 x 2: 8 accumulate, 4 hold a.
//
// Included by gemm_f32_4x8__neon.cc, and by gemm_f32_8x8__aarch64.cc for rows
// that are not packed.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_F32_LANE_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_F32_LANE_H_

#include <arm_neon.h>

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/gemm/gemm.h"
#include "mace/cpu/ukernels/gemm/gemm_f32_tile.h"

namespace mace::cpu {
namespace {

// Returns acc + b * a[kLane], with two roundings on armv7, whose NEON has no
// FMA by a lane.
template <int kLane>
inline simd::F32 MulAddLane(simd::F32 acc, simd::F32 b, simd::F32 a) {
#if defined(__aarch64__)
  return vfmaq_laneq_f32(acc, b, a, kLane);
#else
  if constexpr (kLane < 2)
    return vmlaq_lane_f32(acc, b, vget_low_f32(a), kLane);
  return vmlaq_lane_f32(acc, b, vget_high_f32(a), kLane & 1);
#endif
}

// A Loop of gemm_f32_tile.h.
template <int kRows, int kVectors>
struct LaneLoop {
  using F32 = simd::F32;

  // Multiplies one row of packed b with lane kLane of the four elements of each
  // row. A vector of b is loaded for all rows, so that it takes one register.
  template <int kLane>
  static inline void Step(const F32* a, const float* b,
                          F32 (&acc)[kRows][kVectors]) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const F32 bv = simd::Load(b + v * simd::kLanes);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        acc[r][v] = MulAddLane<kLane>(acc[r][v], bv, a[r]);
      }
    }
  }

  // The same with a row of b that has been loaded.
  template <int kLane>
  static inline void Multiply(const F32* a, const F32* b,
                              F32 (&acc)[kRows][kVectors]) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        acc[r][v] = MulAddLane<kLane>(acc[r][v], b[v], a[r]);
      }
    }
  }

  // Multiplies a segment of k floats of each row: four at a time, and those
  // left one at a time, so that none behind the segment is read. Returns the
  // end of what it read of b.
  template <int kPackedVectors>
  static inline const float* Run(const float* a, ptrdiff_t a_stride, size_t k,
                                 const float* b, F32 (&acc)[kRows][kVectors]) {
    constexpr size_t kStep = kPackedVectors * simd::kLanes;
#if defined(__aarch64__)
    // Few rows leave registers for two rows of b, which one instruction loads.
    if constexpr (kRows <= 4 && kVectors == 2 && kPackedVectors == 2) {
      for (; k >= 4; k -= 4, a += 4, b += 4 * kStep) {
        F32 av[kRows];
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) av[r] = simd::Load(a + r * a_stride);
        const float32x4x4_t first = vld1q_f32_x4(b);
        Multiply<0>(av, first.val, acc);
        Multiply<1>(av, first.val + 2, acc);
        const float32x4x4_t second = vld1q_f32_x4(b + 2 * kStep);
        Multiply<2>(av, second.val, acc);
        Multiply<3>(av, second.val + 2, acc);
      }
    }
#endif
    for (; k >= 4; k -= 4, a += 4, b += 4 * kStep) {
      F32 av[kRows];
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) av[r] = simd::Load(a + r * a_stride);
      Step<0>(av, b, acc);
      Step<1>(av, b + kStep, acc);
      Step<2>(av, b + 2 * kStep, acc);
      Step<3>(av, b + 3 * kStep, acc);
    }
    for (; k > 0; --k, ++a, b += kStep) {
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        const F32 av = simd::Set1(a[r * a_stride]);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
          const F32 bv = simd::Load(b + v * simd::kLanes);
          acc[r][v] = MulAddLane<0>(acc[r][v], bv, av);
        }
      }
    }
    return b;
  }
};

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_F32_LANE_H_
