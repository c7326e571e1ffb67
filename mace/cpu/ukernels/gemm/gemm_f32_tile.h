// The common part of GEMM tiles that sum floats: the start and the end of the
// accumulators, and the choice of the instance for a tile's size.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_F32_TILE_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_F32_TILE_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/gemm/gemm.h"

namespace mace::cpu {
namespace {

// Whether a tile with an addend, or with columns that are no whole vectors,
// ends in a separate function: if the addend shares the loop's registers, GCC
// for Arm spills some of them in the loop, and parts of vectors are long code
// in each instance.
constexpr bool kEndsApart = simd::kLanes == 4;
template <typename T>
__attribute__((noinline)) void AddAndStore(T t, size_t rows, size_t vectors,
                                           const simd::F32* products) {
  using namespace simd;
  const F32 lower = Set1(t->lower), upper = Set1(t->upper);
  for (size_t r = 0; r < rows; ++r) {
    const float* addend = t.addend();
    if (addend != nullptr) addend += r * t->addend_stride;
    float* c = t.c() + r * t->c_stride;
    for (size_t v = 0; v < vectors; ++v) {
      const size_t at = v * kLanes;
      const size_t left = t->n - at < kLanes ? t->n - at : kLanes;
      F32 sum = *products++;
      if (addend != nullptr) sum = sum + LoadN(addend + at, left);
      StoreN(c + at, Clamp(sum, lower, upper), left);
    }
  }
}

// kRows x kVectors accumulators stay in registers during the whole loop. A row
// of packed b has kPackedVectors vectors. Loop<kRows, kVectors>::Run multiplies
// one segment.
template <template <int, int> class Loop, int kRows, int kVectors,
          int kPackedVectors, typename T>
void Tile(T t) {
  using namespace simd;
  F32 acc[kRows][kVectors];
  const size_t last = t->n - (kVectors - 1) * kLanes;  // of the last vector
  const auto load = [&](const float* p, int v) {
    p += v * kLanes;
    return v == kVectors - 1 ? LoadN(p, last) : Load(p);
  };
#pragma GCC unroll 16
  for (int v = 0; v < kVectors; ++v) {
    const F32 bias = t.bias() != nullptr ? load(t.bias(), v) : Set1(0);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) acc[r][v] = bias;
  }

  const auto* a = t.a();
  const auto* b = t.b();
  for (size_t s = 0; s < t->segments; ++s, a += t->segment_stride) {
    b = Loop<kRows, kVectors>::template Run<kPackedVectors>(a, t->a_stride,
                                                            t->k, b, acc);
  }
  if (kEndsApart && (t.addend() != nullptr || last < kLanes)) {
    F32 products[kRows][kVectors];
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) products[r][v] = acc[r][v];
    }
    return AddAndStore(t, kRows, kVectors, products[0]);
  }
  if (!kEndsApart && t.addend() != nullptr) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) {
        acc[r][v] = acc[r][v] + load(t.addend() + r * t->addend_stride, v);
      }
    }
  }

  const F32 lower = Set1(t->lower), upper = Set1(t->upper);
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    float* c = t.c() + r * t->c_stride;
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v, c += kLanes) {
      const F32 y = Clamp(acc[r][v], lower, upper);
      if (!kEndsApart && v == kVectors - 1) {
        StoreN(c, y, last);
      } else {
        Store(c, y);
      }
    }
  }
}

// Calls the instance for exactly m rows and the fewest vectors.
template <template <int, int> class Loop, int kRows, int kVectors,
          int kMaxVectors = kVectors, typename T>
void DispatchTile(T t) {
  if constexpr (kVectors > 1) {
    if (t->n <= (kVectors - 1) * simd::kLanes) {
      return DispatchTile<Loop, kRows, kVectors - 1, kMaxVectors>(t);
    }
  }
  if constexpr (kRows > 1) {
    if (t->m < kRows) {
      return DispatchTile<Loop, kRows - 1, kVectors, kMaxVectors>(t);
    }
  }
  Tile<Loop, kRows, kVectors, kMaxVectors>(t);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_F32_TILE_H_
