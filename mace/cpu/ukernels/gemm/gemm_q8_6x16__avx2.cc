// The 6x16 tile of int8 on AVX2, by products of 16 bits: sums of products of
// bytes would saturate.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_q8_avx2.h"

namespace mace::cpu {
namespace {

struct Widened {
  using Element = int16_t;
  static constexpr size_t kGroup = 2;

  static __m256i Load(const int8_t* b) {
    return _mm256_cvtepi8_epi16(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(b)));
  }
  static __m256i Add(__m256i sum, __m256i a, __m256i b) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
  }
};

}  // namespace

void gemm_q8_6x16__avx2(GemmI16Tile tile) { MultiplyRows<Widened>(tile); }

void gemm_q8_pack_6__avx2(const GemmRuns& rows, void* to) {
  PackTile<Widened::Element>(rows, to);
}

}  // namespace mace::cpu
