// The 6x8 tiles of int8 times blocks on AVX2, whose pmaddubsw adds pairs of
// products of unsigned and signed bytes in 16 bits.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_blocks_avx2.h"

namespace mace::cpu {
namespace {

struct Avx2Dots {
  // The 16 products of int4 that a 16-bit sum has are at most 15 * 127 each,
  // and so in all below 2^15.
  template <int M>
  static void AddPairs(const Q8Block* a, const uint8_t (*pairs)[8][4],
                       __m256i (&dots)[M]) {
    const __m256i low = _mm256_set1_epi8(15);
    __m256i sums[M];
#pragma GCC unroll 6
    for (int i = 0; i < M; ++i) sums[i] = _mm256_setzero_si256();
#pragma GCC unroll 4
    for (int g = 0; g < 4; ++g) {
      const __m256i both = LoadBytes(pairs[g]);
      const __m256i first = _mm256_and_si256(both, low);
      const __m256i second = _mm256_and_si256(_mm256_srli_epi16(both, 4), low);
#pragma GCC unroll 6
      for (int i = 0; i < M; ++i) {
        const int8_t* values = a[i].values + 4 * g;
        sums[i] = _mm256_add_epi16(sums[i],
                                   _mm256_maddubs_epi16(first, Four(values)));
        sums[i] = _mm256_add_epi16(
            sums[i], _mm256_maddubs_epi16(second, Four(values + 16)));
      }
    }
    const __m256i ones = _mm256_set1_epi16(1);
#pragma GCC unroll 6
    for (int i = 0; i < M; ++i) {
      dots[i] = _mm256_add_epi32(dots[i], _mm256_madd_epi16(sums[i], ones));
    }
  }
  // The magnitude of the weight, at most 128, times the value with its sign, at
  // most 127: two of them are below 2^15.
  template <int M>
  static void AddBytes(const Q8Block* a, const uint8_t (*bytes)[8][4],
                       __m256i (&dots)[M]) {
    const __m256i ones = _mm256_set1_epi16(1);
#pragma GCC unroll 8
    for (int g = 0; g < 8; ++g) {
      const __m256i weights = LoadBytes(bytes[g]);
      const __m256i magnitudes = _mm256_abs_epi8(weights);
#pragma GCC unroll 6
      for (int i = 0; i < M; ++i) {
        const __m256i values =
            _mm256_sign_epi8(Four(a[i].values + 4 * g), weights);
        dots[i] = _mm256_add_epi32(
            dots[i],
            _mm256_madd_epi16(_mm256_maddubs_epi16(magnitudes, values), ones));
      }
    }
  }
};

}  // namespace

void gemm_q4_6x8__avx2(GemmQ4Tile tile) {
  MultiplyBlocks<Avx2Dots, Q4Block>(tile);
}
void gemm_q4z_6x8__avx2(GemmQ4ZeroTile tile) {
  MultiplyBlocks<Avx2Dots, Q4ZeroBlock>(tile);
}
void gemm_w8_6x8__avx2(GemmW8Tile tile) {
  MultiplyBlocks<Avx2Dots, W8Block>(tile);
}

Q8Block* gemm_q4_pack_6__avx2(GemmUnpackedOf<float> rows, Q8Block* to) {
  return PackQ8Blocks<kStartOfQ4>(rows, to);
}
Q8Block* gemm_w8_pack_6__avx2(GemmUnpackedOf<float> rows, Q8Block* to) {
  return PackQ8Blocks<0>(rows, to);
}

}  // namespace mace::cpu
