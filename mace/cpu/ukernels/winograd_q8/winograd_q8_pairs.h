// Products of 16 bits on x86, which multiplies and adds adjacent pairs.
// SPDX-License-Identifier: Apache-2.0
//
// V is a vector of sums: V::Type, V::Zero, V::Load, V::Pair (a pair of a row,
// in all lanes), V::Add (a sum plus the products of pairs) and V::Store. Files
// for an instruction set define it; they differ in Add, which is VPMADDWD and
// VPADDD, or VPDPWSSD.
//
// A step takes two k. One vector of b has both of them for half of the columns,
// as group is 2; a pair of each row is in all lanes (V is 256 bits long here):
//
//   b0    | k k+1 | k k+1 | .. | k k+1 |      int16, columns 0 .. 7
//   pair  | k k+1 | k k+1 | .. | k k+1 |      int16, row i
//   Add   | sum   | sum   | .. | sum   |      int32, acc[i][0]
//
// Two times M vectors accumulate: 24 of 32 registers for 12 rows on AVX-512, 12
// of 16 for 6 rows on AVX2.
#ifndef MACE_CPU_UKERNELS_WINOGRAD_Q8_WINOGRAD_Q8_PAIRS_H_
#define MACE_CPU_UKERNELS_WINOGRAD_Q8_WINOGRAD_Q8_PAIRS_H_

#include <immintrin.h>

#include "mace/cpu/ukernels/winograd_q8/winograd_q8_transforms.h"

namespace mace::cpu {
namespace {

constexpr size_t kStep = 2;  // k of a step: `step` and `group` of the table

// Multiplies the first M of kRows rows (mr) by two vectors of columns (nr), for
// all of depth. The outer loop takes one group of v, kLanes channels of all
// rows, and the last one only up to depth. REQUIRES: t.depth is a multiple of
// kStep.
template <typename V, size_t kRows, int M>
inline void MultiplyPairs(const WinogradQ8Gemm& t) {
  constexpr size_t kLanes = sizeof(typename V::Type) / sizeof(int16_t);
  constexpr size_t kColumns = kLanes;  // two vectors of 32 bits
  typename V::Type acc[M][2];
#pragma GCC unroll 16
  for (int i = 0; i < M; ++i) acc[i][0] = acc[i][1] = V::Zero();
  const int16_t* line = t.a;
  const int16_t* b = t.b;
  for (size_t left = t.depth; left > 0; line += kRows * kLanes) {
    const size_t n = left < kLanes ? left : kLanes;
    left -= n;
    for (size_t at = 0; at < n; at += kStep, b += kColumns * kStep) {
      const auto b0 = V::Load(b), b1 = V::Load(b + kLanes);
#pragma GCC unroll 16
      for (int i = 0; i < M; ++i) {
        const auto a = V::Pair(line + static_cast<size_t>(i) * kLanes + at);
        acc[i][0] = V::Add(acc[i][0], a, b0);
        acc[i][1] = V::Add(acc[i][1], a, b1);
      }
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < M; ++i) {
    int32_t* to = t.c + static_cast<size_t>(i) * kColumns;
    V::Store(to, acc[i][0]);
    V::Store(to + kColumns / 2, acc[i][1]);
  }
}

// All of V except Add, for AVX2 and AVX-VNNI. Store takes addresses aligned to
// 32 bytes, which halves of the rows of c are.
struct Vector256 {
  using Type = __m256i;
  static Type Zero() { return _mm256_setzero_si256(); }
  static Type Load(const int16_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const Type*>(p));
  }
  static Type Pair(const int16_t* p) {
    return _mm256_set1_epi32(*reinterpret_cast<const int32_t*>(p));
  }
  static void Store(int32_t* p, Type x) {
    _mm256_store_si256(reinterpret_cast<Type*>(p), x);
  }
};

// A WinogradQ8GemmFn for mr = 6. Computes at most one row more than t.m, which
// costs less than the code of more functions.
template <typename V>
void MultiplySixRows(const WinogradQ8Gemm& t) {
  if (t.m > 4) return MultiplyPairs<V, 6, 6>(t);
  if (t.m > 2) return MultiplyPairs<V, 6, 4>(t);
  MultiplyPairs<V, 6, 2>(t);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_Q8_WINOGRAD_Q8_PAIRS_H_
