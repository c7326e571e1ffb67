// The int8 peak on AVX-VNNI.
// SPDX-License-Identifier: Apache-2.0

#include <immintrin.h>

#include "mace/cpu/ukernels/peak/peak_q8_loop.h"

namespace mace::cpu {

int32_t peak_q8__avxvnni(size_t rounds, int8_t a, int8_t b) {
  const __m256i x = _mm256_set1_epi8(a), y = _mm256_set1_epi8(b);
  return PeakOf(
      rounds, _mm256_setzero_si256(),
      [x, y](__m256i& sum) {
        sum = _mm256_dpbusd_avx_epi32(sum, x, y);
        asm volatile("" : "+x"(sum));
      },
      [](__m256i sum) {
        int32_t lanes[8];
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes), sum);
        uint32_t all = 0;
        for (const int32_t lane : lanes) all += static_cast<uint32_t>(lane);
        return all;
      });
}

}  // namespace mace::cpu
