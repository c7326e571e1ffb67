// The 32x32 tile of codes on AMX: four of its tiles accumulate 16x16 sums each.
// SPDX-License-Identifier: Apache-2.0
//
// Each call configures the tiles and releases them, so that no other code of
// the thread is slowed down by their state.

#include "mace/cpu/ukernels/gemm_q8/gemm_q8_pack_avx512.h"

namespace mace::cpu {
namespace {

constexpr size_t kRows = 32, kColumns = 32;
constexpr size_t kStep = 64;            // depth of a tile of a, in bytes
constexpr size_t kTile = 16;            // rows and columns of a tile
constexpr size_t kBRow = kColumns * 4;  // bytes between groups of a panel

struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

// Tiles 0 to 3 hold sums, 4 and 5 rows of a, 6 and 7 columns of b. One of its
// halves is left out if no row or column of it is wanted.
template <bool kLowRows, bool kRightColumns>
void Multiply(const GemmQ8Tile& t) {
  // Each row starts with the same values: a stride of 0.
  _tile_loadd(0, t.start, 0);
  if (kRightColumns) _tile_loadd(1, t.start + kTile, 0);
  if (kLowRows) _tile_loadd(2, t.start, 0);
  if (kLowRows && kRightColumns) _tile_loadd(3, t.start + kTile, 0);
  const auto* a = static_cast<const uint8_t*>(t.a);
  const int8_t* b = t.b;
  for (size_t k = 0; k < t.depth; k += kStep) {
    _tile_loadd(4, a, kStep);
    _tile_loadd(6, b, kBRow);
    _tile_dpbusd(0, 4, 6);
    if (kLowRows) {
      _tile_loadd(5, a + kTile * kStep, kStep);
      _tile_dpbusd(2, 5, 6);
    }
    if (kRightColumns) {
      _tile_loadd(7, b + kTile * 4, kBRow);
      _tile_dpbusd(1, 4, 7);
      if (kLowRows) _tile_dpbusd(3, 5, 7);
    }
    a += kRows * kStep;
    b += kStep * kColumns;
  }
  constexpr size_t kRowBytes = kColumns * sizeof(int32_t);
  _tile_stored(0, t.sums, kRowBytes);
  if (kRightColumns) _tile_stored(1, t.sums + kTile, kRowBytes);
  int32_t* low = t.sums + kTile * kColumns;
  if (kLowRows) _tile_stored(2, low, kRowBytes);
  if (kLowRows && kRightColumns) _tile_stored(3, low + kTile, kRowBytes);
}

}  // namespace

void gemm_q8_32x32__amx(const GemmQ8Tile& tile) {
  // A constant: the compiler believes that only 8 of its bytes are read.
  static constexpr TileConfig kConfig;
  _tile_loadconfig(&kConfig);
  const bool low = tile.m > kTile, right = tile.n > kTile;
  if (low && right) {
    Multiply<true, true>(tile);
  } else if (low) {
    Multiply<true, false>(tile);
  } else if (right) {
    Multiply<false, true>(tile);
  } else {
    Multiply<false, false>(tile);
  }
  _tile_release();
}

void gemm_q8_pack_32__amx(const GemmQ8Rows& rows, void* to) {
  PackTile<kRows>(rows, to);
}

}  // namespace mace::cpu
