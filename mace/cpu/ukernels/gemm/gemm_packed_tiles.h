// Loops over packed tiles, for micro-kernels that multiply one tile.
// SPDX-License-Identifier: Apache-2.0
//
//   a                                 b (one panel)         c
//   tile 0: kRows rows, all k    -->               -->   kRows rows
//   tile 1: kRows rows, all k    -->  the same     -->   the next kRows rows
//   last:   m % kRows rows       -->               -->   ...
//
// A driver passes all rows of a block in one call, so that all tiles but the
// first find the panel in the cache.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_PACKED_TILES_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_PACKED_TILES_H_

#include "mace/cpu/ukernels/gemm/gemm.h"

namespace mace::cpu {
namespace {

// Calls `multiply` for each tile of kRows packed rows; the last tile may have
// fewer. Rows are padded to a multiple of kStep elements, of kBlock k each: an
// element of a is one k (kBlock = 1), or a Q8Block of 32 (kStep = 1).
// `multiply` gets a Tile whose m, a, c and addend are those of its rows; the
// other fields are those of `tile`. REQUIRES: a is packed.
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
