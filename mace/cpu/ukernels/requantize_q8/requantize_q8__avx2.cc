// Requantizes sums on AVX2; requantize_q8__avx512.cc has the arithmetic.
// SPDX-License-Identifier: Apache-2.0

#include <immintrin.h>

#include "mace/cpu/ukernels/requantize_q8/requantize_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kLanes = 8, kColumns = 32;

inline __m256i Set1(int x) { return _mm256_set1_epi32(x); }
inline __m256i Load(const int32_t* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}

// The factors of 8 channels. kTies: it matters how negative numbers are
// rounded.
template <bool kTies>
struct Factors {
  __m256i left, even, odd, tie, add, right;

  Factors() = default;
  Factors(const RequantizeQ8Tile& t, size_t j, int32_t zero_point) {
    const __m256i one = Set1(1), r = Load(t.right + j);
    left = _mm256_add_epi32(Load(t.left + j), Set1(2));
    even = Load(t.mantissa + j);
    odd = _mm256_srli_epi64(even, 32);
    const __m256i half = _mm256_andnot_si256(one, _mm256_sllv_epi32(one, r));
    tie = _mm256_slli_epi32(_mm256_min_epi32(r, one), 1);
    right = _mm256_add_epi32(r, one);
    add = _mm256_add_epi32(_mm256_sllv_epi32(Set1(zero_point), right),
                           _mm256_add_epi32(half, one));
  }

  __m256i Scale(__m256i sums) const {
    const __m256i x = _mm256_sllv_epi32(sums, left);
    const __m256i low = _mm256_mul_epi32(x, even);
    const __m256i high = _mm256_mul_epi32(_mm256_srli_epi64(x, 32), odd);
    const __m256i q =
        _mm256_blend_epi32(_mm256_srli_epi64(low, 32), high, 0xaa);
    const __m256i sum = _mm256_add_epi32(q, add);
    if (!kTies) return _mm256_srav_epi32(sum, right);
    const __m256i n = _mm256_and_si256(_mm256_srai_epi32(x, 31), tie);
    return _mm256_srav_epi32(_mm256_sub_epi32(sum, n), right);
  }
};

// 32 columns of a row at a time. Quantized values are computed as int8; the
// highest bit of unsigned ones is flipped.
template <typename F>
void Run(const RequantizeQ8Tile& t) {
  const int offset = t.most > 127 ? 128 : 0;
  const __m256i flip = _mm256_set1_epi8(static_cast<char>(offset));
  const __m256i least = _mm256_set1_epi8(static_cast<char>(t.least - offset));
  const __m256i most = _mm256_set1_epi8(static_cast<char>(t.most - offset));
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  for (size_t j = 0; j < t.n; j += kColumns) {
    F factors[4];
    for (size_t v = 0; v < 4; ++v) {
      factors[v] = F(t, j + v * kLanes, t.zero_point - offset);
    }
    for (size_t i = 0; i < t.m; ++i) {
      const __m256i add = Set1(t.row_add == nullptr ? 0 : t.row_add[i]);
      const int32_t* sums = t.sums + i * t.sums_stride + j;
      __m256i x[4];
      for (size_t v = 0; v < 4; ++v) {
        x[v] = factors[v].Scale(_mm256_add_epi32(Load(sums + v * kLanes), add));
      }
      __m256i quantized = _mm256_packs_epi16(_mm256_packs_epi32(x[0], x[1]),
                                             _mm256_packs_epi32(x[2], x[3]));
      quantized = _mm256_max_epi8(quantized, least);
      quantized = _mm256_min_epi8(quantized, most);
      quantized =
          _mm256_xor_si256(_mm256_permutevar8x32_epi32(quantized, order), flip);
      uint8_t* y = t.y + static_cast<ptrdiff_t>(i) * t.y_stride + j;
      if (t.n - j >= kColumns) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), quantized);
      } else {
        __builtin_memcpy(y, &quantized, t.n - j);
      }
    }
  }
}

}  // namespace

void requantize_q8__avx2(const RequantizeQ8Tile& tile) {
  if (tile.least == tile.zero_point) return Run<Factors<false>>(tile);
  Run<Factors<true>>(tile);
}

}  // namespace mace::cpu
