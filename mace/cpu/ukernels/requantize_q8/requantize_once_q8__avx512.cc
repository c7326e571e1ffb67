// Requantizes sums, rounded once, on AVX-512.
// SPDX-License-Identifier: Apache-2.0

#include <immintrin.h>

#include "mace/cpu/ukernels/requantize_q8/requantize_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kOnceLanes = 16;

// Scales, limits and rounds sums to quantized values less their zero point. The
// sum with the largest number below a half, then cut off, is the nearest
// integer, ties away from zero; a half would move that number itself up.
struct OnceScale {
  __m512d least, most;

  __m256i operator()(__m256i sums, const double* multipliers) const {
    const __m512d below_half = _mm512_set1_pd(0x1.fffffffffffffp-2);
    const __m512d sign = _mm512_set1_pd(-0.0);
    const __m512d real =
        _mm512_mul_pd(_mm512_cvtepi32_pd(sums), _mm512_loadu_pd(multipliers));
    const __m512d x = _mm512_min_pd(_mm512_max_pd(real, least), most);
    const __m512d add = _mm512_or_pd(_mm512_and_pd(x, sign), below_half);
    return _mm512_cvttpd_epi32(_mm512_add_pd(x, add));
  }
};

}  // namespace

void requantize_once_q8__avx512(const RequantizeQ8Tile& t) {
  const OnceScale scale = {_mm512_set1_pd(double{1} * t.least - t.zero_point),
                           _mm512_set1_pd(double{1} * t.most - t.zero_point)};
  const __m512i zero_point = _mm512_set1_epi32(t.zero_point);
  for (size_t i = 0; i < t.m; ++i) {
    const __m512i add =
        _mm512_set1_epi32(t.row_add == nullptr ? 0 : t.row_add[i]);
    for (size_t j = 0; j < t.n; j += kOnceLanes) {
      const __m512i sums = _mm512_add_epi32(
          _mm512_loadu_si512(t.sums + i * t.sums_stride + j), add);
      const __m256i low =
          scale(_mm512_castsi512_si256(sums), t.multipliers + j);
      const __m256i high =
          scale(_mm512_extracti64x4_epi64(sums, 1), t.multipliers + j + 8);
      const __m512i quantized = _mm512_add_epi32(
          _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1), zero_point);
      const size_t left = t.n - j;
      const auto columns =
          static_cast<__mmask16>(left < kOnceLanes ? (1u << left) - 1 : 0xffff);
      _mm512_mask_cvtepi32_storeu_epi8(
          t.y + static_cast<ptrdiff_t>(i) * t.y_stride + j, columns, quantized);
    }
  }
}

}  // namespace mace::cpu
