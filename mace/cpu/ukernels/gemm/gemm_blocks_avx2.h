// The 6x8 tiles of int8 times blocks in vectors of 256 bits.
// SPDX-License-Identifier: Apache-2.0
//
// `Dots` computes the dots of a block of M rows: it has AddPairs for int4 and
// AddBytes for int8.
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

inline __m256i Four(const void* values) {
  int32_t four;
  __builtin_memcpy(&four, values, sizeof(four));
  return _mm256_set1_epi32(four);
}

inline __m256i LoadBytes(const void* bytes) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(bytes));
}

inline __m256 Floats(const Fp16* fp16) {
  return _mm256_cvtph_ps(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(fp16)));
}

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

// Completes row i.
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
  // The second operand where the first one is NaN.
  c = _mm256_max_ps(_mm256_set1_ps(t.lower), c);
  c = _mm256_min_ps(_mm256_set1_ps(t.upper), c);
  _mm256_maskstore_ps(static_cast<float*>(t.c) + i * t.c_stride, columns, c);
}

// M rows, those of a tile of M.
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

template <typename Dots, typename B, int M>
void MultiplyTile(GemmBlocksTile<B> t) {
  if constexpr (M > 1) {
    if (static_cast<int>(t->m) < M) return MultiplyTile<Dots, B, M - 1>(t);
  }
  Multiply<Dots, B, M>(t);
}

template <typename Dots, typename B>
inline void MultiplyBlocks(GemmBlocksTile<B> tile) {
  ForEachTile<kBlockRows, 1, kGemmBlock>(tile,
                                         MultiplyTile<Dots, B, kBlockRows>);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_BLOCKS_AVX2_H_
