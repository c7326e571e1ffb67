// The 8x16 tile of int8 times int4 in blocks on AVX512-VNNI, which multiplies
// weights in [0, 15]: 8 times the sum of a row's block is subtracted.
// SPDX-License-Identifier: Apache-2.0

#include <immintrin.h>

#include "mace/cpu/ukernels/gemm/gemm_packed_tiles.h"
#include "mace/cpu/ukernels/gemm/gemm_q4.h"

namespace mace::cpu {
namespace {

constexpr size_t kRows = 8, kColumns = 16;

inline __m512i Four(const int8_t* values) {
  int32_t four;
  __builtin_memcpy(&four, values, sizeof(four));
  return _mm512_set1_epi32(four);
}

// M rows, those of a tile of M.
template <int M>
inline void Multiply(GemmQ4Tile t) {
  const __m512i low = _mm512_set1_epi8(15);
  const auto* b = reinterpret_cast<const Q4Blocks<kColumns>*>(t.b());
  const Q8Block* a = t.a();
  __m512 sums[M];
#pragma GCC unroll 8
  for (int i = 0; i < M; ++i) sums[i] = _mm512_setzero_ps();
  for (size_t k = 0; k < t->k; k += kQ4Block, a += M, ++b) {
    __m512i dots[M];
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i) dots[i] = _mm512_set1_epi32(-8 * a[i].sum);
#pragma GCC unroll 4
    for (int g = 0; g < 4; ++g) {
      const __m512i pairs = _mm512_loadu_si512(b->pairs[g]);
      const __m512i first = _mm512_and_si512(pairs, low);
      const __m512i second = _mm512_and_si512(_mm512_srli_epi16(pairs, 4), low);
#pragma GCC unroll 8
      for (int i = 0; i < M; ++i) {
        const int8_t* values = a[i].values + 4 * g;
        dots[i] = _mm512_dpbusd_epi32(dots[i], first, Four(values));
        dots[i] = _mm512_dpbusd_epi32(dots[i], second, Four(values + 16));
      }
    }
    const __m512 scales = _mm512_cvtph_ps(
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b->scales)));
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i) {
      const __m512 scale = _mm512_mul_ps(scales, _mm512_set1_ps(a[i].scale));
      sums[i] = _mm512_fmadd_ps(scale, _mm512_cvtepi32_ps(dots[i]), sums[i]);
    }
  }
  const __mmask16 columns = static_cast<__mmask16>((1u << t->n) - 1);
  const __m512 bias = t.bias() != nullptr
                          ? _mm512_maskz_loadu_ps(columns, t.bias())
                          : _mm512_setzero_ps();
#pragma GCC unroll 8
  for (int i = 0; i < M; ++i) {
    __m512 c = _mm512_add_ps(sums[i], bias);
    if (t.addend() != nullptr) {
      const float* addend = t.addend() + i * t->addend_stride;
      c = _mm512_add_ps(c, _mm512_maskz_loadu_ps(columns, addend));
    }
    c = _mm512_max_ps(c, _mm512_set1_ps(t->lower));
    c = _mm512_min_ps(c, _mm512_set1_ps(t->upper));
    _mm512_mask_storeu_ps(t.c() + i * t->c_stride, columns, c);
  }
}

void MultiplyTile(GemmQ4Tile t) {
  switch (t->m) {
    case 1:
      return Multiply<1>(t);
    case 2:
      return Multiply<2>(t);
    case 3:
      return Multiply<3>(t);
    case 4:
      return Multiply<4>(t);
    case 5:
      return Multiply<5>(t);
    case 6:
      return Multiply<6>(t);
    case 7:
      return Multiply<7>(t);
    default:
      return Multiply<8>(t);
  }
}

}  // namespace

void gemm_q4_8x16__avx512vnni(GemmQ4Tile tile) {
  ForEachTile<kRows, 1, kQ4Block>(tile, MultiplyTile);
}

Q8Block* gemm_q4_pack_8__avx512vnni(GemmUnpackedOf<float> rows, Q8Block* to) {
  return PackQ8Blocks(rows, to);
}

}  // namespace mace::cpu
