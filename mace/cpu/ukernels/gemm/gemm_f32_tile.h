// The common part of GEMM tiles that sum floats: the start and the end of the
// accumulators, and the choice of the instance for a tile's size.
// SPDX-License-Identifier: Apache-2.0
//
//            vector 0     vector 1     kVectors = 2; `last` is how many columns
//   row 0  [acc[0][0] ] [acc[0][1]|  ]  the last vector has, 1 to kLanes
//   row 1  [acc[1][0] ] [acc[1][1]|  ]
//   ...                            n
//
//   acc = bias; for each segment: acc += a * b (Loop); c = clamp(acc + addend)
//
// `Loop` is BroadcastLoop (gemm_f32_broadcast.h), LaneLoop (gemm_f32_lane.h),
// or PairLoop (gemm_bf16_14x32__avx512bf16.cc), which multiplies bf16 operands
// into float32 sums. Its function
//
//   const B* Loop<kRows, kVectors>::Run<kPackedVectors>(
//       const A* a, ptrdiff_t a_stride, size_t k, const B* b,
//       F32 (&acc)[kRows][kVectors])
//
// adds the products of k elements of each row, and returns the end of the rows
// of b that it read.
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

// Adds the addend, if there is one, to the sums, [rows][vectors] in memory,
// clamps them, and stores the n columns that the tile has. One copy serves all
// instances of a type.
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

// Computes a tile. kRows x kVectors accumulators stay in registers during the
// whole loop. A row of packed b has kPackedVectors vectors, of which the first
// kVectors are used. Loop<kRows, kVectors>::Run multiplies one segment.
// REQUIRES: t->m == kRows, and (kVectors - 1) * kLanes < t->n <= kVectors *
// kLanes.
template <template <int, int> class Loop, int kRows, int kVectors,
          int kPackedVectors, typename T>
void Tile(T t) {
  using namespace simd;
  F32 acc[kRows][kVectors];
  // Only the last vector may have fewer columns, so that the others need no
  // mask.
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
    // A copy, whose address is taken: that of acc would force it into memory.
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

// Calls the instance for exactly m rows and the fewest vectors. REQUIRES:
// t->m <= kRows, t->n <= kVectors * kLanes. A row of packed b has kMaxVectors
// vectors in every instance. kRows * kVectors instances are compiled: rows that
// do not exist are neither read, multiplied nor written.
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
