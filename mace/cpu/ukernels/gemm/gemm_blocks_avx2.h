// The 6x8 tiles of int8 times blocks in vectors of 256 bits.
// SPDX-License-Identifier: Apache-2.0
//
// `Dots` computes the dots of a block of M rows: AddPairs for int4, AddBytes
// for int8. Both add the products of row a[i] with the bytes of a panel's block
// to dots[i], which has the eight columns of row i. Included by
// gemm_blocks_6x8__avx2.cc and gemm_blocks_6x8__avxvnni.cc, with these Dots:
//
//   Avx2Dots   pmaddubsw: unsigned times signed bytes, two products to 16 bits
//   VnniDots   vpdpbusd: the same, four products to 32 bits
//
// A group of weights is a vector, [8 columns][4 of k]; four values of a row are
// broadcast to all columns:
//
//   weights  c0: k0 k1 k2 k3 | c1: k0 k1 k2 k3 | ... | c7: k0 k1 k2 k3
//   row      k0 k1 k2 k3     | k0 k1 k2 k3     | ... | k0 k1 k2 k3
//   dots     c0              | c1              | ... | c7
//
// For each block, a row has a vector of int32 dots, which are converted, scaled
// and added to its vector of float sums.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_BLOCKS_AVX2_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_BLOCKS_AVX2_H_

#include <immintrin.h>

#include "mace/cpu/ukernels/gemm/gemm_blocks.h"
#include "mace/cpu/ukernels/gemm/gemm_packed_tiles.h"

namespace mace::cpu {
namespace {

constexpr int kBlockRows = 6;
constexpr size_t kBlockColumns = 8;
template <typename B>
using Panel = GemmPanelBlock<B, kBlockColumns, 4>;

// Broadcasts four bytes, which need no alignment, to all lanes of 32 bits.
inline __m256i Four(const void* values) {
  int32_t four;
  __builtin_memcpy(&four, values, sizeof(four));
  return _mm256_set1_epi32(four);
}

inline __m256i LoadBytes(const void* bytes) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(bytes));
}

// Converts eight fp16 to float.
inline __m256 Floats(const Fp16* fp16) {
  return _mm256_cvtph_ps(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(fp16)));
}

// Adds a block of M rows times a block of a panel to `sums`, without the scales
// of rows. Dots begin with `start`, or subtract their zero point afterwards:
//
//   dot = sum(value * weight) + start            Q4Block, W8Block
//   dot = sum(value * weight) - zero * sum       Q4ZeroBlock
template <typename Dots, int M, typename B>
inline void AddBlock(const Q8Block* a, const Panel<B>& b, __m256 (&sums)[M]) {
  constexpr bool kHasZero = sizeof(B) == sizeof(Q4ZeroBlock);
  __m256i dots[M];
#pragma GCC unroll 6
  for (int i = 0; i < M; ++i) {
    dots[i] = kHasZero ? _mm256_setzero_si256() : Four(&a[i].start);
  }
  if constexpr (sizeof(B) == sizeof(W8Block)) {
    Dots::template AddBytes<M>(a, b.bytes, dots);
  } else {
    Dots::template AddPairs<M>(a, b.bytes, dots);
  }
  const __m256 scales = Floats(b.scales);
#pragma GCC unroll 6
  for (int i = 0; i < M; ++i) {
    __m256 dot = _mm256_cvtepi32_ps(dots[i]);
    if constexpr (kHasZero) {
      dot = _mm256_fnmadd_ps(Floats(b.zeros), _mm256_set1_ps(a[i].sum), dot);
    }
    sums[i] = _mm256_fmadd_ps(scales, dot, sums[i]);
  }
}

// Completes row i of the result: adds bias and addend to the scaled sums `c`,
// clamps and stores them. `columns` masks the columns that exist; no others are
// read or written.
inline void Finish(const GemmTile& t, int i, __m256i columns, __m256 c) {
  if (t.bias != nullptr) {
    const auto* bias = static_cast<const float*>(t.bias);
    c = _mm256_add_ps(c, _mm256_maskload_ps(bias, columns));
  }
  if (t.addend != nullptr) {
    const float* addend =
        static_cast<const float*>(t.addend) + i * t.addend_stride;
    c = _mm256_add_ps(c, _mm256_maskload_ps(addend, columns));
  }
  // Both instructions return the second operand if either is NaN.
  c = _mm256_max_ps(_mm256_set1_ps(t.lower), c);
  c = _mm256_min_ps(_mm256_set1_ps(t.upper), c);
  _mm256_maskstore_ps(static_cast<float*>(t.c) + i * t.c_stride, columns, c);
}

// Computes a tile of exactly M packed rows, [ceil(k / 32)][M] Q8Blocks. With
// one or two rows, reading the panel takes longer than multiplying it.
template <typename Dots, typename B, int M>
void Multiply(GemmBlocksTile<B> t) {
  const auto* b = reinterpret_cast<const Panel<B>*>(t.b());
  const Q8Block* a = t.a();
  __m256 sums[M];
#pragma GCC unroll 6
  for (int i = 0; i < M; ++i) sums[i] = _mm256_setzero_ps();
  for (size_t k = 0; k < t->k; k += kGemmBlock, a += M, ++b) {
    if (M < 3) PrefetchPanel(b, sizeof(*b));
    AddBlock<Dots, M, B>(a, *b, sums);
  }
  const __m256i columns =
      _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(t->n)),
                         _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
#pragma GCC unroll 6
  for (int i = 0; i < M; ++i) {
    const __m256 scale = _mm256_set1_ps(t.a()[i].scale);
    Finish(*t, i, columns, _mm256_mul_ps(sums[i], scale));
  }
}

// Calls Multiply for the rows of the tile, at most M. Each number of rows needs
// code of its own because fewer rows are packed more closely.
template <typename Dots, typename B, int M>
void MultiplyTile(GemmBlocksTile<B> t) {
  if constexpr (M > 1) {
    if (static_cast<int>(t->m) < M) return MultiplyTile<Dots, B, M - 1>(t);
  }
  Multiply<Dots, B, M>(t);
}

// Multiplies any number of packed rows by a panel: the body of a GemmFn.
template <typename Dots, typename B>
inline void MultiplyBlocks(GemmBlocksTile<B> tile) {
  ForEachTile<kBlockRows, 1, kGemmBlock>(tile,
                                         MultiplyTile<Dots, B, kBlockRows>);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_BLOCKS_AVX2_H_
