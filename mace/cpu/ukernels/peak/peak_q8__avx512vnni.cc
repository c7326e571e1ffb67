// The int8 peak on AVX512-VNNI.
// SPDX-License-Identifier: Apache-2.0

#include <immintrin.h>

#include "mace/cpu/ukernels/peak/peak_q8_loop.h"

namespace mace::cpu {

int32_t peak_q8__avx512vnni(size_t rounds, int8_t a, int8_t b) {
  const __m512i x = _mm512_set1_epi8(a), y = _mm512_set1_epi8(b);
  return PeakOf(
      rounds, _mm512_setzero_si512(),
      [x, y](__m512i& sum) {
        sum = _mm512_dpbusd_epi32(sum, x, y);
        asm volatile("" : "+v"(sum));
      },
      [](__m512i sum) { return _mm512_reduce_add_epi32(sum); });
}

}  // namespace mace::cpu
