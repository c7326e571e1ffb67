// The 6x8 tiles of int8 times blocks on AVX-VNNI, which multiplies unsigned
// weights: int4 in [0, 15], int8 plus 128.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_blocks_avx2.h"

namespace mace::cpu {
namespace {

struct VnniDots {
  template <int M>
  static void AddPairs(const Q8Block* a, const uint8_t (*pairs)[8][4],
                       __m256i (&dots)[M]) {
    const __m256i low = _mm256_set1_epi8(15);
#pragma GCC unroll 4
    for (int g = 0; g < 4; ++g) {
      const __m256i both = LoadBytes(pairs[g]);
      const __m256i first = _mm256_and_si256(both, low);
      const __m256i second = _mm256_and_si256(_mm256_srli_epi16(both, 4), low);
#pragma GCC unroll 6
      for (int i = 0; i < M; ++i) {
        const int8_t* values = a[i].values + 4 * g;
        dots[i] = _mm256_dpbusd_avx_epi32(dots[i], first, Four(values));
        dots[i] = _mm256_dpbusd_avx_epi32(dots[i], second, Four(values + 16));
      }
    }
  }
  template <int M>
  static void AddBytes(const Q8Block* a, const uint8_t (*bytes)[8][4],
                       __m256i (&dots)[M]) {
#pragma GCC unroll 8
    for (int g = 0; g < 8; ++g) {
      const __m256i weights = LoadBytes(bytes[g]);
#pragma GCC unroll 6
      for (int i = 0; i < M; ++i) {
        dots[i] = _mm256_dpbusd_avx_epi32(dots[i], weights,
                                          Four(a[i].values + 4 * g));
      }
    }
  }
};

}  // namespace

void gemm_q4_6x8__avxvnni(GemmQ4Tile tile) {
  MultiplyBlocks<VnniDots, Q4Block>(tile);
}
void gemm_q4z_6x8__avxvnni(GemmQ4ZeroTile tile) {
  MultiplyBlocks<VnniDots, Q4ZeroBlock>(tile);
}
void gemm_w8_6x8__avxvnni(GemmW8Tile tile) {
  MultiplyBlocks<VnniDots, W8Block>(tile);
}

Q8Block* gemm_q4_pack_6__avxvnni(GemmUnpackedOf<float> rows, Q8Block* to) {
  return PackQ8Blocks<kStartOfQ4>(rows, to);
}
Q8Block* gemm_w8_pack_6__avxvnni(GemmUnpackedOf<float> rows, Q8Block* to) {
  return PackQ8Blocks<kStartOfUnsigned>(rows, to);
}

}  // namespace mace::cpu
