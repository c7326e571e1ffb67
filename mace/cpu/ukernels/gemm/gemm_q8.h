// GEMM micro-kernels of int8 or uint8: how rows are packed, and requantization
// as their epilogue.
// SPDX-License-Identifier: Apache-2.0
//
// Both operands are packed, as the row of the table says (GemmPacking):
//
//   a, a tile of up to mr rows     [ceil(k / k_tile)][mr][k_tile]
//   b, a panel of nr columns       [k / group][nr][group]
//
// `group` is how many adjacent k of a column an instruction multiplies: 2 for
// pmaddwd, 4 for VNNI and SDOT, 8 for i8mm. k is a multiple of `k_pad`: where
// it was rounded up to one, b is zero and a is anything. Columns of the last
// panel that do not exist are zero.
//
// The values of a are those of the tensor, with the highest bit flipped where
// that makes them what the micro-kernel multiplies: in [0, 255] if it
// `reads_unsigned`, else in [-128, 127]. Those of b are in [b_min, 127]. The
// driver accounts for the zero points in the bias.
//
// Sums, c, are a whole tile [mr][nr], 64-byte aligned, of which everything may
// be written; the bias has nr elements. Sums wrap around at 32 bits.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_Q8_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_Q8_H_

#include "mace/cpu/ukernels/gemm/gemm.h"

namespace mace::cpu {

using GemmU8Tile = GemmTileOf<uint8_t, int8_t, int32_t, int32_t>;
using GemmI8Tile = GemmTileOf<int8_t, int8_t, int32_t, int32_t>;
using GemmI16Tile = GemmTileOf<int16_t, int8_t, int32_t, int32_t>;

// Whole tiles of mr rows and nr columns that are requantized at once, without
// sums in memory between.
struct GemmRequantized {
  size_t tiles;
  size_t depth;        // k of GemmTile
  const void* a;       // the first tile
  ptrdiff_t a_stride;  // bytes between tiles
  const int8_t* b;
  const int32_t* start;
  // How a sum is requantized: as RequantizeQ8Tile says, in requantize_q8.h.
  const int32_t* mantissa;
  const int32_t* left;
  const int32_t* right;
  int32_t zero_point;
  int32_t least, most;
  uint8_t* y;
  ptrdiff_t y_stride;  // between rows
};
using GemmRequantizedFn = void(const GemmRequantized& tiles);

// Rows to be packed as a tile of a. Row i is `segments` runs of n values; run s
// begins at runs[s * m + i].
struct GemmRuns {
  size_t m;  // in [1, mr]
  size_t n;
  size_t segments;
  const uint8_t* const* runs;
  uint8_t flip;   // each value is xor-ed with it: 0 or 0x80
  int32_t* sums;  // null, or gets the sum of each row's elements
  // For micro-kernels that take steps, if `runs` is null: run s of row i begins
  // at first + i * row_step + s * run_step.
  const uint8_t* first = nullptr;
  ptrdiff_t row_step = 0, run_step = 0;
};

// Writes all elements of `a`, and anything behind them up to the end of each
// row's last k_tile. Rows of a tile may also be packed in several calls, each
// to where its first one begins in the first k_tile.
using GemmPackRunsFn = void(const GemmRuns& rows, void* to);

// Most sums of any tile.
constexpr int kGemmQ8MaxSums = 16 * 32;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_Q8_H_
