// Products of 16 bits on x86, which multiplies and adds adjacent pairs.
// SPDX-License-Identifier: Apache-2.0
//
// V is a vector of sums: V::Type, V::Zero, V::Load, V::Pair (a pair of a row,
// in all lanes), V::Add (a sum plus the products of pairs) and V::Store.
#ifndef MACE_CPU_UKERNELS_WINOGRAD_Q8_WINOGRAD_Q8_PAIRS_H_
#define MACE_CPU_UKERNELS_WINOGRAD_Q8_WINOGRAD_Q8_PAIRS_H_

#include <immintrin.h>

#include "mace/cpu/ukernels/winograd_q8/winograd_q8_transforms.h"

namespace mace::cpu {
namespace {

constexpr size_t kStep = 2;

// The first M of kRows rows, two vectors of columns.
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

// Rows beyond those wanted cost less than the code of more functions.
template <typename V>
void MultiplySixRows(const WinogradQ8Gemm& t) {
  if (t.m > 4) return MultiplyPairs<V, 6, 6>(t);
  if (t.m > 2) return MultiplyPairs<V, 6, 4>(t);
  MultiplyPairs<V, 6, 2>(t);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_Q8_WINOGRAD_Q8_PAIRS_H_
