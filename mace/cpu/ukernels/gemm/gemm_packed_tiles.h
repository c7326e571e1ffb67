// Loops over packed tiles, for micro-kernels that multiply one tile.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_PACKED_TILES_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_PACKED_TILES_H_

#include "mace/cpu/ukernels/gemm/gemm.h"

namespace mace::cpu {
namespace {

// Calls `multiply` for each tile of kRows packed rows; the last one may have
// fewer. Rows are padded to a multiple of kStep elements, of kBlock k each.
template <size_t kRows, size_t kStep, size_t kBlock = 1, typename Tile,
          typename F>
void ForEachTile(Tile tile, const F& multiply) {
  GemmTile t = *tile;
  constexpr size_t kAlign = kStep * kBlock;
  const size_t packed = (t.k + kAlign - 1) / kAlign * kStep * kRows;
  for (size_t left = t.m; left > 0; left -= t.m) {
    t.m = left < kRows ? left : kRows;
    const Tile one(t);
    multiply(one);
    t.a = one.a() + packed;
    t.c = one.c() + kRows * t.c_stride;
    if (t.addend != nullptr) t.addend = one.addend() + kRows * t.addend_stride;
  }
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_PACKED_TILES_H_
