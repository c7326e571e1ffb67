// The GEMM tile where an element of a is broadcast to all lanes and multiplied
// with vectors of b: for CPUs that broadcast while loading.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_GEMM_F32_GEMM_F32_BROADCAST_H_
#define MACE_CPU_UKERNELS_GEMM_F32_GEMM_F32_BROADCAST_H_

#include "mace/cpu/simd.h"
#include "mace/cpu/ukernels/gemm_f32/gemm_f32.h"

namespace mace::cpu {
namespace {

// kRows x kVectors accumulators live in registers through the whole loop; a row
// of packed b is kPackedVectors long.
template <int kRows, int kVectors, int kPackedVectors>
void BroadcastTile(const GemmF32Tile& t) {
  using namespace simd;
  F32 acc[kRows][kVectors];
  const size_t last = t.n - (kVectors - 1) * kLanes;  // lanes of the last one
  const auto load = [&](const float* p, int v) {
    p += v * kLanes;
    return v == kVectors - 1 ? LoadN(p, last) : Load(p);
  };
#pragma GCC unroll 16
  for (int v = 0; v < kVectors; ++v) {
    const F32 bias = t.bias != nullptr ? load(t.bias, v) : Set1(0);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) acc[r][v] = bias;
  }
  if (t.accumulate) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) {
        acc[r][v] = load(t.c + r * t.c_stride, v);
      }
    }
  }

  const float* b = t.b;
  const float* segment = t.a;
  for (size_t s = 0; s < t.segments; ++s, segment += t.segment_stride) {
    const float* a = segment;
    for (size_t k = 0; k < t.k; ++k, ++a, b += kPackedVectors * kLanes) {
      F32 bv[kVectors];
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) bv[v] = Load(b + v * kLanes);
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const F32 av = Set1(a[r * t.a_stride]);
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) {
          acc[r][v] = MulAdd(av, bv[v], acc[r][v]);
        }
      }
    }
  }

  const F32 lower = Set1(t.lower), upper = Set1(t.upper);
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    float* c = t.c + r * t.c_stride;
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v, c += kLanes) {
      const F32 y = Clamp(acc[r][v], lower, upper);
      if (v == kVectors - 1) {
        StoreN(c, y, last);
      } else {
        Store(c, y);
      }
    }
  }
}

// Picks the instance with exactly t.m rows and the fewest vectors.
template <int kRows, int kVectors, int kMaxVectors>
void DispatchTile(const GemmF32Tile& t) {
  if constexpr (kVectors > 1) {
    if (t.n <= (kVectors - 1) * simd::kLanes) {
      return DispatchTile<kRows, kVectors - 1, kMaxVectors>(t);
    }
  }
  if constexpr (kRows > 1) {
    if (t.m < kRows) return DispatchTile<kRows - 1, kVectors, kMaxVectors>(t);
  }
  BroadcastTile<kRows, kVectors, kMaxVectors>(t);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_F32_GEMM_F32_BROADCAST_H_
