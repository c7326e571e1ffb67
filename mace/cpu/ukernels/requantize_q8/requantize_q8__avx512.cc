// Turns sums into codes on AVX-512.
// SPDX-License-Identifier: Apache-2.0
//
// With X = 4 * sum * 2^left, which has 32 bits, the high half of X * mantissa
// is q = floor(p / 2^30), where p = sum * 2^left * mantissa. Both roundings are
// one shift, because floors of floors are floors: for right = r > 0,
//
//   floor((floor((p + 2^30) / 2^31) + 2^(r-1) - n) / 2^r)
//     = floor((q + 1 + 2^r - 2 n) / 2^(r+1))
//
// where n = 1 if the product is negative; it is taken from the sum's sign, as
// it does not matter where the first rounding gives 0. For r = 0 the result is
// floor((q + 1) / 2). The zero point is added before the shift. Where it is the
// least code, it does not matter how negative numbers are rounded, and n is 0.

#include <immintrin.h>

#include "mace/cpu/ukernels/requantize_q8/requantize_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kLanes = 16;

inline __m512i Set1(int x) { return _mm512_set1_epi32(x); }

// The factors of 16 channels. kTies: it matters how negative numbers are
// rounded.
template <bool kTies>
struct Factors {
  __m512i left, even, odd, tie, add, right;

  Factors(const RequantizeQ8Tile& t, size_t j, int32_t zero_point) {
    const __m512i one = Set1(1), r = _mm512_loadu_si512(t.right + j);
    left = _mm512_add_epi32(_mm512_loadu_si512(t.left + j), Set1(2));
    even = _mm512_loadu_si512(t.mantissa + j);
    odd = _mm512_srli_epi64(even, 32);
    const __m512i half = _mm512_andnot_si512(one, _mm512_sllv_epi32(one, r));
    tie = _mm512_slli_epi32(_mm512_min_epi32(r, one), 1);
    right = _mm512_add_epi32(r, one);
    add = _mm512_add_epi32(_mm512_sllv_epi32(Set1(zero_point), right),
                           _mm512_add_epi32(half, one));
  }

  __m512i Scale(__m512i sums) const {
    const __m512i x = _mm512_sllv_epi32(sums, left);
    const __m512i low = _mm512_mul_epi32(x, even);
    const __m512i high = _mm512_mul_epi32(_mm512_srli_epi64(x, 32), odd);
    __m512i q = _mm512_mask_shuffle_epi32(high, 0x5555, low, _MM_PERM_DDBB);
    if (kTies) q = _mm512_mask_sub_epi32(q, _mm512_movepi32_mask(x), q, tie);
    return _mm512_srav_epi32(_mm512_add_epi32(q, add), right);
  }
};

inline __m512i Sums(const RequantizeQ8Tile& t, size_t i, size_t j) {
  const __m512i sums = _mm512_loadu_si512(t.sums + i * t.sums_stride + j);
  if (t.row_add == nullptr) return sums;
  return _mm512_add_epi32(sums, Set1(t.row_add[i]));
}

// 32 columns of two rows at a time. Codes are computed as int8; the highest bit
// of unsigned ones is flipped.
template <typename F>
void Run(const RequantizeQ8Tile& t) {
  const int offset = t.most > 127 ? 128 : 0;
  const __m512i flip = _mm512_set1_epi8(static_cast<char>(offset));
  const __m512i least = _mm512_set1_epi8(static_cast<char>(t.least - offset));
  const __m512i most = _mm512_set1_epi8(static_cast<char>(t.most - offset));
  const __m512i order =
      _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  for (size_t j = 0; j < t.n; j += 2 * kLanes) {
    const F a(t, j, t.zero_point - offset);
    const F b(t, j + kLanes, t.zero_point - offset);
    const auto columns =
        static_cast<__mmask32>(t.n - j < 32 ? (1u << (t.n - j)) - 1 : ~0u);
    for (size_t i = 0; i < t.m; i += 2) {
      const size_t next = i + 1 < t.m ? i + 1 : i;
      const __m512i first = _mm512_packs_epi32(a.Scale(Sums(t, i, j)),
                                               b.Scale(Sums(t, i, j + kLanes)));
      const __m512i second = _mm512_packs_epi32(
          a.Scale(Sums(t, next, j)), b.Scale(Sums(t, next, j + kLanes)));
      __m512i codes = _mm512_packs_epi16(first, second);
      codes = _mm512_max_epi8(codes, least);
      codes = _mm512_min_epi8(codes, most);
      codes = _mm512_xor_si512(_mm512_permutexvar_epi32(order, codes), flip);
      uint8_t* y = t.y + static_cast<ptrdiff_t>(i) * t.y_stride + j;
      _mm256_mask_storeu_epi8(y, columns, _mm512_castsi512_si256(codes));
      if (next == i) break;
      _mm256_mask_storeu_epi8(y + t.y_stride, columns,
                              _mm512_extracti64x4_epi64(codes, 1));
    }
  }
}

}  // namespace

void requantize_q8__avx512(const RequantizeQ8Tile& tile) {
  if (tile.least == tile.zero_point) return Run<Factors<false>>(tile);
  Run<Factors<true>>(tile);
}

}  // namespace mace::cpu
