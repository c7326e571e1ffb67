// The 14x32 GEMM tile of bfloat16 pairs: 28 of 32 registers accumulate.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/gemm/gemm_f32_tile.h"
#include "mace/cpu/ukernels/gemm/gemm_packed_tiles.h"

namespace mace::cpu {
namespace {

constexpr size_t kRowsOfTile = 14;
// Adjacent pairs of a row: one cache line.
constexpr size_t kPairs = 16;

// The bits of a pair are loaded as a float.
template <int kRows, int kVectors>
struct PairLoop {
  using F32 = simd::F32;

  static inline const float* Pairs(const Bf16* p) {
    return reinterpret_cast<const float*>(p);
  }

  template <int kPackedVectors>
  static inline const Bf16* Run(const Bf16* a, ptrdiff_t /*a_stride*/, size_t k,
                                const Bf16* b, F32 (&acc)[kRows][kVectors]) {
    for (size_t pairs = (k + 1) / 2; pairs > 0; a += kRows * kPairs * 2) {
      const size_t n = pairs < kPairs ? pairs : kPairs;
      pairs -= n;
      for (size_t i = 0; i < n; ++i, b += kPackedVectors * simd::kLanes * 2) {
        __m512bh bv[kVectors];
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) {
          bv[v] = reinterpret_cast<__m512bh>(
              simd::Load(Pairs(b) + v * simd::kLanes));
        }
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          const auto av =
              reinterpret_cast<__m512bh>(simd::Set1(Pairs(a)[r * kPairs + i]));
#pragma GCC unroll 16
          for (int v = 0; v < kVectors; ++v) {
            acc[r][v] = _mm512_dpbf16_ps(acc[r][v], av, bv[v]);
          }
        }
      }
    }
    return b;
  }
};

}  // namespace

void gemm_bf16_14x32__avx512bf16(GemmBf16Tile tile) {
  ForEachTile<kRowsOfTile, 2 * kPairs>(
      tile, [](GemmBf16Tile t) { DispatchTile<PairLoop, kRowsOfTile, 2>(t); });
}

}  // namespace mace::cpu
