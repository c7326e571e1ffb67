// The 14x32 GEMM tile of bfloat16 pairs: 28 of 32 registers accumulate.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/gemm/gemm_f32_tile.h"
#include "mace/cpu/ukernels/gemm/gemm_half.h"

namespace mace::cpu {
namespace {

constexpr size_t kRowsOfTile = 14;
// Pairs of a row that lie side by side, a cache line.
constexpr size_t kPairs = 16;

// `a` is pairs, whose bits are passed around as floats.
template <int kRows, int kVectors>
struct PairLoop {
  using F32 = simd::F32;

  template <int kPackedVectors>
  static inline const float* Run(const float* a, ptrdiff_t /*a_stride*/,
                                 size_t k, const float* b,
                                 F32 (&acc)[kRows][kVectors]) {
    for (size_t pairs = (k + 1) / 2; pairs > 0; a += kRows * kPairs) {
      const size_t n = pairs < kPairs ? pairs : kPairs;
      pairs -= n;
      for (size_t i = 0; i < n; ++i, b += kPackedVectors * simd::kLanes) {
        __m512bh bv[kVectors];
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) {
          bv[v] = reinterpret_cast<__m512bh>(simd::Load(b + v * simd::kLanes));
        }
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          const auto av =
              reinterpret_cast<__m512bh>(simd::Set1(a[r * kPairs + i]));
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

void gemm_bf16_14x32__avx512bf16(const GemmF32Tile& tile) {
  GemmF32Tile t = tile;
  const size_t tile_floats =
      (tile.k + 2 * kPairs - 1) / (2 * kPairs) * kPairs * kRowsOfTile;
  for (size_t left = tile.m; left > 0; left -= t.m) {
    t.m = left < kRowsOfTile ? left : kRowsOfTile;
    DispatchTile<PairLoop, kRowsOfTile, 2>(t);
    t.a += tile_floats;
    t.c += kRowsOfTile * t.c_stride;
    if (t.addend != nullptr) t.addend += kRowsOfTile * t.addend_stride;
  }
}

}  // namespace mace::cpu
