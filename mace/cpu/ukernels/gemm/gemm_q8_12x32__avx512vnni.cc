// The 12x32 tile of int8 on AVX512-VNNI: 24 of 32 registers accumulate.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_q8_pack_avx512.h"
#include "mace/cpu/ukernels/gemm/gemm_q8_requantized_avx512.h"

namespace mace::cpu {
namespace {

constexpr size_t kRows = 12, kColumns = 32;
constexpr size_t kGroup = 4, kLine = 64;  // bytes

inline __m512i Group(const uint8_t* p) {
  return _mm512_set1_epi32(*reinterpret_cast<const int32_t*>(p));
}

// Adds the products of M rows with V vectors of columns to acc. Inline, so that
// acc stays in registers.
template <int M, int V>
inline void AddProducts(const void* a, const int8_t* b, size_t depth,
                        const int32_t* start, __m512i (&acc)[M][V]) {
#pragma GCC unroll 2
  for (int v = 0; v < V; ++v) {
    acc[0][v] = _mm512_loadu_si512(start + 16 * v);
#pragma GCC unroll 16
    for (int i = 1; i < M; ++i) acc[i][v] = acc[0][v];
  }
  const auto* line = static_cast<const uint8_t*>(a);
  for (size_t left = depth; left > 0; line += kRows * kLine) {
    const size_t n = left < kLine ? left : kLine;
    left -= n;
    for (size_t at = 0; at < n; at += kGroup, b += kColumns * kGroup) {
      __m512i bv[V];
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) bv[v] = _mm512_loadu_si512(b + 64 * v);
#pragma GCC unroll 16
      for (int i = 0; i < M; ++i) {
        const __m512i av = Group(line + static_cast<size_t>(i) * kLine + at);
#pragma GCC unroll 2
        for (int v = 0; v < V; ++v) {
          acc[i][v] = _mm512_dpbusd_epi32(acc[i][v], av, bv[v]);
        }
      }
    }
  }
}

// The first M rows and V vectors of columns. M is 4, 8 or 12: rows beyond
// those wanted cost less than the code of more functions. One row is common:
// feature maps of 7x7 have 49.
template <int M, int V>
void Multiply(GemmU8Tile t) {
  __m512i acc[M][V];
  AddProducts(t.a(), t.b(), t->k, t.bias(), acc);
#pragma GCC unroll 16
  for (int i = 0; i < M; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      _mm512_store_si512(t.c() + kColumns * i + 16 * v, acc[i][v]);
    }
  }
}

// One row: even and odd groups have sums of their own, as each product waits
// for the one before it.
template <int V>
void MultiplyRow(GemmU8Tile t) {
  __m512i even[V], odd[V];
#pragma GCC unroll 2
  for (int v = 0; v < V; ++v) {
    even[v] = _mm512_loadu_si512(t.bias() + 16 * v);
    odd[v] = _mm512_setzero_si512();
  }
  const auto* line = t.a();
  const int8_t* b = t.b();
  const auto add = [&b](__m512i(&acc)[V], const uint8_t* group) {
    const __m512i av = Group(group);
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      acc[v] = _mm512_dpbusd_epi32(acc[v], av, _mm512_loadu_si512(b + 64 * v));
    }
    b += kColumns * kGroup;
  };
  for (size_t left = t->k; left > 0; line += kRows * kLine) {
    const size_t n = left < kLine ? left : kLine;
    left -= n;
    size_t at = 0;
    for (; at + kGroup < n; at += 2 * kGroup) {
      add(even, line + at);
      add(odd, line + at + kGroup);
    }
    if (at < n) add(even, line + at);
  }
#pragma GCC unroll 2
  for (int v = 0; v < V; ++v) {
    _mm512_store_si512(t.c() + 16 * v, _mm512_add_epi32(even[v], odd[v]));
  }
}

template <int V>
void MultiplyRows(GemmU8Tile t) {
  if (t->m > 8) return Multiply<12, V>(t);
  if (t->m > 4) return Multiply<8, V>(t);
  if (t->m > 1) return Multiply<4, V>(t);
  MultiplyRow<V>(t);
}

// Quantized values of whole tiles. Their factors are read from memory behind
// the loop over the depth, where sums take 24 of 32 registers.
struct RequantizedGemm {
  template <typename Quantized>
  static void Run(const GemmRequantized& t, const Quantized& to_quantized) {
    uint8_t* y = t.y;
    const auto* tile = static_cast<const uint8_t*>(t.a);
    for (size_t k = 0; k < t.tiles; ++k, tile += t.a_stride) {
      __m512i acc[kRows][2];
      AddProducts(tile, t.b, t.depth, t.start, acc);
      // The compiler must not move any of what follows into the loop before it.
      const auto* to = &to_quantized;
      asm("" : "+r"(to));
#pragma GCC unroll 16
      for (auto& row : acc) asm("" : "+v"(row[0]), "+v"(row[1]));
#pragma GCC unroll 16
      for (size_t i = 0; i < kRows; i += 2, y += 2 * t.y_stride) {
        to->StoreRows(acc[i], acc[i + 1], y, t.y_stride);
      }
    }
  }
};

}  // namespace

void gemm_q8_12x32__avx512vnni(GemmU8Tile tile) {
  if (tile->n > 16) return MultiplyRows<2>(tile);
  MultiplyRows<1>(tile);
}

void gemm_q8_requantized_12x32__avx512vnni(const GemmRequantized& tiles) {
  MultiplyRequantized<RequantizedGemm>(tiles);
}

void gemm_q8_pack_12__avx512vnni(const GemmRuns& rows, void* to) {
  PackTile<kRows>(rows, to);
}

}  // namespace mace::cpu
