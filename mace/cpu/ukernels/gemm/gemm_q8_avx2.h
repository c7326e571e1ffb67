// The 6x16 tile of int8 in vectors of 256 bits: 12 of 16 registers accumulate.
// SPDX-License-Identifier: Apache-2.0
//
// S is the step of a group of depths: S::Element is that of packed rows,
// S::kGroup how many adjacent ones are multiplied, S::Load returns 8 columns of
// b, S::Add adds their products with a row's group.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_Q8_AVX2_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_Q8_AVX2_H_

#include <immintrin.h>

#include "mace/cpu/ukernels/gemm/gemm_q8_pack.h"

namespace mace::cpu {
namespace {

constexpr size_t kRows = 6, kColumns = 16;
constexpr size_t kLineBytes = 64;

template <typename S>
using TileOf = GemmTileOf<typename S::Element, int8_t, int32_t, int32_t>;

// The first M rows.
template <typename S, int M>
void Multiply(TileOf<S> t) {
  constexpr size_t kLine = kLineBytes / sizeof(typename S::Element);
  __m256i acc[M][2];
  for (int v = 0; v < 2; ++v) {
    acc[0][v] =
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(t.bias() + 8 * v));
#pragma GCC unroll 8
    for (int i = 1; i < M; ++i) acc[i][v] = acc[0][v];
  }
  const auto* line = t.a();
  const int8_t* b = t.b();
  for (size_t left = t->k; left > 0; line += kRows * kLine) {
    const size_t n = left < kLine ? left : kLine;
    left -= n;
    for (size_t at = 0; at < n; at += S::kGroup, b += kColumns * S::kGroup) {
      const __m256i b0 = S::Load(b), b1 = S::Load(b + 8 * S::kGroup);
#pragma GCC unroll 8
      for (int i = 0; i < M; ++i) {
        const __m256i a = _mm256_set1_epi32(
            *reinterpret_cast<const int32_t*>(line + i * kLine + at));
        acc[i][0] = S::Add(acc[i][0], a, b0);
        acc[i][1] = S::Add(acc[i][1], a, b1);
      }
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < M; ++i) {
    auto* to = reinterpret_cast<__m256i*>(t.c() + kColumns * i);
    _mm256_store_si256(to, acc[i][0]);
    _mm256_store_si256(to + 1, acc[i][1]);
  }
}

// Rows beyond those wanted cost less than the code of more functions.
template <typename S>
void MultiplyRows(TileOf<S> t) {
  if (t->m > 3) return Multiply<S, 6>(t);
  Multiply<S, 3>(t);
}

template <typename Element>
void PackTile(const GemmRuns& rows, void* to) {
  PackValues<kRows, kLineBytes / sizeof(Element), Element, uint8_t>(
      rows, static_cast<Element*>(to));
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_Q8_AVX2_H_
