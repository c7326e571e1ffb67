// The 14x16 tiles of int8 times blocks on AVX512-VNNI, whose weights are
// unsigned: int4 in [0, 15], int8 plus 128.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_blocks_avx512.h"

namespace mace::cpu {
namespace {

constexpr int kRows = 14;

inline __m512i Four(const void* values) {
  int32_t four;
  __builtin_memcpy(&four, values, sizeof(four));
  return _mm512_set1_epi32(four);
}

// The dots of a block of M rows.
template <int M, typename B>
inline void AddDots(const Q8Block* a, const Panel<B>& b, __m512i (&dots)[M]) {
  const __m512i low = _mm512_set1_epi8(15);
#pragma GCC unroll 4
  for (int g = 0; g < 4; ++g) {
    const __m512i pairs = _mm512_loadu_si512(b.bytes[g]);
    const __m512i first = _mm512_and_si512(pairs, low);
    const __m512i second = _mm512_and_si512(_mm512_srli_epi16(pairs, 4), low);
#pragma GCC unroll 14
    for (int i = 0; i < M; ++i) {
      const int8_t* values = a[i].values + 4 * g;
      dots[i] = _mm512_dpbusd_epi32(dots[i], first, Four(values));
      dots[i] = _mm512_dpbusd_epi32(dots[i], second, Four(values + 16));
    }
  }
}
template <int M>
inline void AddDots(const Q8Block* a, const Panel<W8Block>& b,
                    __m512i (&dots)[M]) {
#pragma GCC unroll 8
  for (int g = 0; g < 8; ++g) {
    const __m512i weights = _mm512_loadu_si512(b.bytes[g]);
#pragma GCC unroll 14
    for (int i = 0; i < M; ++i) {
      dots[i] =
          _mm512_dpbusd_epi32(dots[i], weights, Four(a[i].values + 4 * g));
    }
  }
}

template <int M, typename B>
inline void AddBlock(const Q8Block* a, const Panel<B>& b, __m512 (&sums)[M]) {
  constexpr bool kHasZero = sizeof(B) == sizeof(Q4ZeroBlock);
  __m512i dots[M];
#pragma GCC unroll 14
  for (int i = 0; i < M; ++i) {
    dots[i] = kHasZero ? _mm512_setzero_si512() : Four(&a[i].start);
  }
  AddDots<M>(a, b, dots);
  const __m512 scales = Floats(b.scales);
  if constexpr (kHasZero) {
    const __m512 zeros = Floats(b.zeros);
#pragma GCC unroll 14
    for (int i = 0; i < M; ++i) {
      const __m512 dot = _mm512_fnmadd_ps(zeros, _mm512_set1_ps(a[i].sum),
                                          _mm512_cvtepi32_ps(dots[i]));
      sums[i] = _mm512_fmadd_ps(scales, dot, sums[i]);
    }
  } else {
#pragma GCC unroll 14
    for (int i = 0; i < M; ++i) {
      sums[i] = _mm512_fmadd_ps(scales, _mm512_cvtepi32_ps(dots[i]), sums[i]);
    }
  }
}

// M rows, those of a tile of M.
template <int M, typename B>
void Multiply(GemmBlocksTile<B> t) {
  const auto* b = reinterpret_cast<const Panel<B>*>(t.b());
  const Q8Block* a = t.a();
  __m512 sums[M];
#pragma GCC unroll 14
  for (int i = 0; i < M; ++i) sums[i] = _mm512_setzero_ps();
  for (size_t k = 0; k < t->k; k += kGemmBlock, a += M, ++b) {
    if (M < 4) PrefetchPanel(b, sizeof(*b));
    AddBlock<M, B>(a, *b, sums);
  }
  a = t.a();
  const RowWriter writer(t);
#pragma GCC unroll 14
  for (int i = 0; i < M; ++i) writer.Write(i, sums[i], a[i].scale);
}

template <typename B, int M>
void MultiplyRows(GemmBlocksTile<B> t) {
  if constexpr (M > 1) {
    if (static_cast<int>(t->m) < M) return MultiplyRows<B, M - 1>(t);
  }
  Multiply<M, B>(t);
}

// One row, by a panel in each of kStreams parts of the weights at a time: the
// prefetchers of a CPU follow each part on its own, and each stops at the end
// of a page.
constexpr size_t kStreams = 2;

template <typename B>
void MultiplyRow(GemmBlocksTile<B> t) {
  const size_t blocks = (t->k + kGemmBlock - 1) / kGemmBlock;
  const size_t panels = (t->n + kColumns - 1) / kColumns;
  const size_t each = panels / kStreams;
  const auto* b = reinterpret_cast<const Panel<B>*>(t.b());
  const auto one = [&](size_t panel) {
    const size_t column = panel * kColumns;
    GemmTile tile = *t;
    tile.n = t->n - column < kColumns ? t->n - column : kColumns;
    tile.b = b + panel * blocks;
    tile.c = t.c() + column;
    if (t.bias() != nullptr) tile.bias = t.bias() + column;
    if (t.addend() != nullptr) tile.addend = t.addend() + column;
    return tile;
  };
  for (size_t p = 0; p < each; ++p) {
    __m512 sums[kStreams][1];
#pragma GCC unroll 2
    for (auto& sum : sums) sum[0] = _mm512_setzero_ps();
    const Q8Block* a = t.a();
    for (size_t k = 0; k < blocks; ++k, ++a) {
#pragma GCC unroll 2
      for (size_t s = 0; s < kStreams; ++s) {
        const Panel<B>* block = b + (s * each + p) * blocks + k;
        PrefetchPanel(block, sizeof(*block));
        AddBlock<1, B>(a, *block, sums[s]);
      }
    }
    for (size_t s = 0; s < kStreams; ++s) {
      const GemmTile tile = one(s * each + p);
      RowWriter(GemmBlocksTile<B>(tile)).Write(0, sums[s][0], t.a()->scale);
    }
  }
  for (size_t p = each * kStreams; p < panels; ++p) {
    const GemmTile tile = one(p);
    Multiply<1, B>(GemmBlocksTile<B>(tile));
  }
}

}  // namespace

void gemm_q4_row_16__avx512vnni(GemmQ4Tile tile) { MultiplyRow(tile); }
void gemm_q4z_row_16__avx512vnni(GemmQ4ZeroTile tile) { MultiplyRow(tile); }
void gemm_w8_row_16__avx512vnni(GemmW8Tile tile) { MultiplyRow(tile); }

void gemm_q4_14x16__avx512vnni(GemmQ4Tile tile) {
  ForEachTile<kRows, 1, kGemmBlock>(tile, MultiplyRows<Q4Block, kRows>);
}
void gemm_q4z_14x16__avx512vnni(GemmQ4ZeroTile tile) {
  ForEachTile<kRows, 1, kGemmBlock>(tile, MultiplyRows<Q4ZeroBlock, kRows>);
}
void gemm_w8_14x16__avx512vnni(GemmW8Tile tile) {
  ForEachTile<kRows, 1, kGemmBlock>(tile, MultiplyRows<W8Block, kRows>);
}

Q8Block* gemm_q4_pack_14__avx512vnni(GemmUnpackedOf<float> rows, Q8Block* to) {
  return PackQ8Blocks16<kStartOfQ4>(rows, to);
}
Q8Block* gemm_w8_pack_14__avx512vnni(GemmUnpackedOf<float> rows, Q8Block* to) {
  return PackQ8Blocks16<kStartOfUnsigned>(rows, to);
}

}  // namespace mace::cpu
