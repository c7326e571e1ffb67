// Requantizes sums, rounded once, on AVX2.
// SPDX-License-Identifier: Apache-2.0

#include <immintrin.h>

#include "mace/cpu/ukernels/requantize_q8/requantize_once_q8_plain.h"

namespace mace::cpu {

// As on AVX-512, where it is explained, 4 columns at a time.
void requantize_once_q8__avx2(const RequantizeQ8Tile& t) {
  const __m256d least = _mm256_set1_pd(double{1} * t.least - t.zero_point);
  const __m256d most = _mm256_set1_pd(double{1} * t.most - t.zero_point);
  const __m256d below_half = _mm256_set1_pd(0x1.fffffffffffffp-2);
  const __m256d sign = _mm256_set1_pd(-0.0);
  const __m128i zero_point = _mm_set1_epi32(t.zero_point);
  const __m128i low_bytes = _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1,
                                          -1, -1, -1, -1, -1, -1);
  for (size_t i = 0; i < t.m; ++i) {
    const __m128i add = _mm_set1_epi32(t.row_add == nullptr ? 0 : t.row_add[i]);
    uint8_t* const y = t.y + static_cast<ptrdiff_t>(i) * t.y_stride;
    size_t j = 0;
    for (; j + 4 <= t.n; j += 4) {
      const auto* from =
          reinterpret_cast<const __m128i*>(t.sums + i * t.sums_stride + j);
      const __m128i sums = _mm_add_epi32(_mm_loadu_si128(from), add);
      const __m256d real = _mm256_mul_pd(_mm256_cvtepi32_pd(sums),
                                         _mm256_loadu_pd(t.multipliers + j));
      const __m256d x = _mm256_min_pd(_mm256_max_pd(real, least), most);
      const __m256d more = _mm256_or_pd(_mm256_and_pd(x, sign), below_half);
      const __m128i quantized = _mm_add_epi32(
          _mm256_cvttpd_epi32(_mm256_add_pd(x, more)), zero_point);
      const int32_t four =
          _mm_cvtsi128_si32(_mm_shuffle_epi8(quantized, low_bytes));
      __builtin_memcpy(y + j, &four, sizeof(four));
    }
    RequantizeOnce(t, i, j);
  }
}

}  // namespace mace::cpu
