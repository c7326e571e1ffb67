// GEMM micro-kernels of int8 or uint8: how rows are packed, and requantization
// as their epilogue.
// SPDX-License-Identifier: Apache-2.0
//
// Both operands are packed, as the row of the table says (GemmPacking):
//
//   a, a tile of up to mr rows     [ceil(k / k_tile)][mr][k_tile]
//   b, a panel of nr columns       [k / group][nr][group]
//
// k_tile values of a row are a line. A tile has mr lines side by side even if
// it has fewer rows; lines of rows that do not exist may have any values:
//
//   row 0: k 0 .. k_tile-1 | row 1: k 0 .. k_tile-1 | ... | row mr-1: ...
//   row 0: k_tile ..       | row 1: k_tile ..       | ...
//
// `group` is how many adjacent k of a column an instruction multiplies: 2 for
// pmaddwd and NEON without SDOT, 4 for VNNI, AMX and SDOT, 8 for i8mm. k is the
// depth rounded up to a multiple of `k_pad`: beyond the depth, b is zero and a
// may have any values. Columns of the last panel that do not exist are zero.
//
// The values of a are those of the tensor, in the type that the micro-kernel
// multiplies: in [0, 255] if it `reads_unsigned`, else in [-128, 127]. Packing
// flips the highest bit of tensors of the other type. The values of b are in
// [b_min, 127]. The driver accounts for the zero point of a in the bias, and
// for that of b with GemmRuns::sums.
//
// The sums, c, are a whole tile [mr][nr], 64-byte aligned, of which every
// element may be written; the bias has nr elements, and is not null. Sums wrap
// around at 32 bits:
//
//   c[i][j] = bias[j] + sum over k of a[i][k] * b[k][j]    exact modulo 2^32
//
// Of GemmTile, these micro-kernels read m (at most mr), n, k, a, b, c and bias,
// and nothing else: rows are always packed, and there is no addend, clamp or
// stride. Micro-kernels may compute rows and columns beyond m and n, which
// costs less than code for more sizes.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_Q8_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_Q8_H_

#include "mace/cpu/ukernels/gemm/gemm.h"

namespace mace::cpu {

// The types of a: uint8 or int8, or on AVX2, whose sums of products of bytes
// saturate, int16 with values in [0, 255].
using GemmU8Tile = GemmTileOf<uint8_t, int8_t, int32_t, int32_t>;
using GemmI8Tile = GemmTileOf<int8_t, int8_t, int32_t, int32_t>;
using GemmI16Tile = GemmTileOf<int16_t, int8_t, int32_t, int32_t>;

// Whole tiles of mr rows and nr columns that are requantized at once, without
// storing the sums of more than one tile. REQUIRES: the zero point of b is 0.
// Each row of y gets nr values, and nothing is written between rows.
struct GemmRequantized {
  size_t tiles;
  size_t depth;          // k of GemmTile, a multiple of k_pad
  const void* a;         // the first tile
  ptrdiff_t a_stride;    // bytes between tiles
  const int8_t* b;       // one panel, for all tiles
  const int32_t* start;  // nr, with which sums begin: the bias of GemmTile
  // Factors as in RequantizeQ8Tile (requantize_q8.h), nr of each. Sums and
  // factors are within the limits of GemmEpilogue.
  const int32_t* mantissa;
  const int32_t* left;
  const int32_t* right;
  int32_t zero_point;
  int32_t least, most;  // both of int8, or both of uint8
  uint8_t* y;           // the first row; those of the next tile follow
  ptrdiff_t y_stride;   // between rows
};
// Computes whole tiles. Results have the same bits as if the sums were stored
// and then requantized by requantize_q8.
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
  // Null, or gets m sums, each of the elements of a row as they are multiplied
  // (after the flip). A driver multiplies them by the zero point of b.
  int32_t* sums;
  // If GemmPacking::takes_steps, `runs` may be null. Then run s of row i begins
  // at first + i * row_step + s * run_step.
  const uint8_t* first = nullptr;
  ptrdiff_t row_step = 0, run_step = 0;
};

// Packs rows as lines of a tile. Behind the last element of a row, up to the
// end of its last line, any values may be written. Lines of other rows are left
// as they are: the rows of a tile may be packed in several calls, where `to` is
// the first line of the first row of the call.
using GemmPackRunsFn = void(const GemmRuns& rows, void* to);

// The largest mr * nr of any row of the table, for buffers of sums.
constexpr int kGemmQ8MaxSums = 16 * 32;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_Q8_H_
