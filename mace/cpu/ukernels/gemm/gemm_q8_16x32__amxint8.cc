// The 16x32 tile of int8 on AMX-INT8.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_amx_tiles.h"
#include "mace/cpu/ukernels/gemm/gemm_q8_amx.h"
#include "mace/cpu/ukernels/gemm/gemm_q8_pack_avx512.h"
#include "mace/cpu/ukernels/gemm/gemm_q8_requantized_avx512.h"

namespace mace::cpu {
namespace {

struct RequantizedGemm {
  template <typename Quantized>
  static void Run(const GemmRequantized& t, const Quantized& to_quantized) {
    alignas(64) int32_t sums[kAmxRows * kAmxColumns];
    CpuTiles tiles;
    tiles.Configure(ConfigFor(kAmxRows, t.depth));
    uint8_t* y = t.y;
    const auto* tile = static_cast<const uint8_t*>(t.a);
    for (size_t k = 0; k < t.tiles; ++k, tile += t.a_stride) {
      MultiplyTile<2>(tiles, tile, t.b, t.depth, t.start, sums);
      const int32_t* row = sums;
      for (size_t i = 0; i < kAmxRows; i += 2, y += 2 * t.y_stride) {
        const __m512i first[] = {_mm512_load_si512(row),
                                 _mm512_load_si512(row + kTileColumns)};
        row += kAmxColumns;
        const __m512i second[] = {_mm512_load_si512(row),
                                  _mm512_load_si512(row + kTileColumns)};
        row += kAmxColumns;
        to_quantized.StoreRows(first, second, y, t.y_stride);
      }
    }
    tiles.Release();
  }
};

}  // namespace

void gemm_q8_16x32__amxint8(GemmU8Tile tile) {
  CpuTiles tiles;
  Multiply(tiles, tile);
}

void gemm_q8_requantized_16x32__amxint8(const GemmRequantized& tiles) {
  MultiplyRequantized<RequantizedGemm>(tiles);
}

void gemm_q8_pack_16__amxint8(const GemmRuns& rows, void* to) {
  PackTile<kAmxRows>(rows, to);
}

}  // namespace mace::cpu
