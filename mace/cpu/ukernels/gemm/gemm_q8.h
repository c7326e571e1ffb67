// GEMM micro-kernels of int8 or uint8: how rows are packed, and requantization
// as their epilogue.
// SPDX-License-Identifier: Apache-2.0
//
// Both operands are packed, as the row of the table says (GemmPacking):
//
//   a, a tile of up to mr rows     [ceil(k / k_tile)][mr][k_tile]
//   b, a panel of nr columns       [k / group][nr][group]
//
// k_tile values of a row are a line. Lines of a tile are mr apart whether or
// not it has all rows; those of rows that it lacks may be anything:
//
//   row 0: k 0 .. k_tile-1 | row 1: k 0 .. k_tile-1 | ... | row mr-1: ...
//   row 0: k_tile ..       | row 1: k_tile ..       | ...
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
// be written; the bias has nr elements, and is not null. Sums wrap around at 32
// bits:
//
//   c[i][j] = bias[j] + sum over k of a[i][k] * b[k][j]    exact modulo 2^32
//
// Of GemmTile, these micro-kernels read m (at most mr), n, k, a, b, c and bias,
// and nothing else: rows are always packed, and there is no addend, clamp or
// stride. They may compute rows and columns beyond m and n, as this costs less
// than the code of more sizes.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_Q8_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_Q8_H_

#include "mace/cpu/ukernels/gemm/gemm.h"

namespace mace::cpu {

// The types of a: bytes as they are multiplied, or on AVX2, whose sums of
// products of bytes saturate, int16 with values in [0, 255].
using GemmU8Tile = GemmTileOf<uint8_t, int8_t, int32_t, int32_t>;
using GemmI8Tile = GemmTileOf<int8_t, int8_t, int32_t, int32_t>;
using GemmI16Tile = GemmTileOf<int16_t, int8_t, int32_t, int32_t>;

// Whole tiles of mr rows and nr columns that are requantized at once, without
// storing the sums of more than one. No zero point of b is accounted for: it
// must be 0. Each row of y gets nr values, and nothing is written between rows.
struct GemmRequantized {
  size_t tiles;
  size_t depth;          // k of GemmTile, a multiple of k_pad
  const void* a;         // the first tile
  ptrdiff_t a_stride;    // bytes between tiles
  const int8_t* b;       // one panel, for all tiles
  const int32_t* start;  // nr, with which sums begin: the bias of GemmTile
  // How a sum is requantized: as RequantizeQ8Tile says, in requantize_q8.h, nr
  // factors each. Sums and factors keep the limits of GemmEpilogue.
  const int32_t* mantissa;
  const int32_t* left;
  const int32_t* right;
  int32_t zero_point;
  int32_t least, most;  // both of int8, or both of uint8
  uint8_t* y;           // the first row; those of the next tile follow
  ptrdiff_t y_stride;   // between rows
};
// Computes whole tiles, to the bit as sums that are requantized afterwards.
using GemmRequantizedFn = void(const GemmRequantized& tiles);

// Rows to be packed as a tile of a. Row i is `segments` runs of n values; run s
// begins at runs[s * m + i]. A run is a row of a matrix, a line of a window, or
// a pixel of a window at the border of an image. Nothing behind the last value
// of a run is read. Runs may overlap and repeat, and need no alignment.
struct GemmRuns {
  size_t m;  // in [1, mr]
  size_t n;  // > 0, in each run; the depth is n * segments
  size_t segments;
  const uint8_t* const* runs;
  uint8_t flip;  // each value is xor-ed with it: 0 or 0x80
  // Null, or gets the sum of each row's elements as they are multiplied, m of
  // them: a zero point of b is multiplied by it.
  int32_t* sums;
  // For micro-kernels that take steps, if `runs` is null: run s of row i begins
  // at first + i * row_step + s * run_step.
  const uint8_t* first = nullptr;
  ptrdiff_t row_step = 0, run_step = 0;
};

// Packs rows as lines of a tile. Writes all elements of `a`, and anything
// behind them up to the end of each row's last k_tile. Rows of a tile may also
// be packed in several calls, each to where its first one begins in the first
// k_tile; so nothing is written to lines of other rows.
using GemmPackRunsFn = void(const GemmRuns& rows, void* to);

// The largest mr * nr of any row of the table, for buffers of sums.
constexpr int kGemmQ8MaxSums = 16 * 32;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_Q8_H_
