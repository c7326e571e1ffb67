// The 6x16 tile of int8 in vectors of 256 bits: 12 of 16 registers accumulate.
// SPDX-License-Identifier: Apache-2.0
//
// S is the step of a group of depths: S::Element is the type of packed rows,
// S::kGroup the number of adjacent depths that an instruction multiplies.
// S::Load returns a group of 8 columns of b, S::Add adds their products with a
// row's group.
//
//   file                       S::Element   S::kGroup   S::Add
//   gemm_q8_6x16__avx2.cc      int16_t      2           pmaddwd
//   gemm_q8_6x16__avxvnni.cc   uint8_t      4           vpdpbusd
//
// A group is four bytes of a row either way, which are broadcast to all lanes:
//
//                   b0: columns 0 to 7   b1: columns 8 to 15
//   row i, group -> acc[i][0]            acc[i][1]             8 int32 each
//
// Beside the accumulators, two registers hold columns and one a row's group.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_Q8_AVX2_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_Q8_AVX2_H_

#include <immintrin.h>

#include "mace/cpu/ukernels/gemm/gemm_q8_pack.h"

namespace mace::cpu {
namespace {

constexpr size_t kRows = 6, kColumns = 16;
// Bytes of a line, the adjacent elements of a packed row. The groups of a line
// are in one cache line.
constexpr size_t kLineBytes = 64;

template <typename S>
using TileOf = GemmTileOf<typename S::Element, int8_t, int32_t, int32_t>;

// Computes the first M rows of a tile, in the layout of gemm_q8.h. Of the last
// line, only depths below t->k are multiplied. REQUIRES: t->k is a multiple of
// S::kGroup.
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

// Computes three rows if t->m is at most 3, else all six. Rows beyond t->m cost
// less than the code of more functions.
template <typename S>
void MultiplyRows(TileOf<S> t) {
  if (t->m > 3) return Multiply<S, 6>(t);
  Multiply<S, 3>(t);
}

// Packs rows for S with this Element. Values are in [0, 255], also as int16.
template <typename Element>
void PackTile(const GemmRuns& rows, void* to) {
  PackValues<kRows, kLineBytes / sizeof(Element), Element, uint8_t>(
      rows, static_cast<Element*>(to));
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_Q8_AVX2_H_
