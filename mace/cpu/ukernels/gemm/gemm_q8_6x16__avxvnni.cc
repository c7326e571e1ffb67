// The 6x16 tile of int8 on AVX-VNNI.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_q8_avx2.h"

namespace mace::cpu {
namespace {

struct Vnni {
  using Element = uint8_t;
  static constexpr size_t kGroup = 4;

  static __m256i Load(const int8_t* b) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b));
  }
  static __m256i Add(__m256i sum, __m256i a, __m256i b) {
    return _mm256_dpbusd_avx_epi32(sum, a, b);
  }
};

}  // namespace

void gemm_q8_6x16__avxvnni(GemmU8Tile tile) { MultiplyRows<Vnni>(tile); }

void gemm_q8_pack_6__avxvnni(const GemmRuns& rows, void* to) {
  PackTile<Vnni::Element>(rows, to);
}

}  // namespace mace::cpu
