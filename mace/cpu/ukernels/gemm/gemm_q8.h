// Matrix-product micro-kernels of 8-bit codes: sums = start + a * b, exactly.
// SPDX-License-Identifier: Apache-2.0
//
// Both operands are packed, as numbers of a row of the table say:
//
//   a, a tile of up to mr rows     [ceil(depth / line)][mr][line]
//   b, a panel of nr columns       [depth / group][nr][group]
//
// `group` is how many adjacent depths of a column an instruction multiplies: 2
// for pmaddwd, 4 for VNNI and SDOT, 8 for i8mm. Depth is rounded up to a
// multiple of `step`; there, b is zero and a is anything. Columns of the last
// panel that do not exist are zero.
//
// Elements of b are in [least_b, 127], as the row says. Those of a are codes
// whose highest bit is flipped where that makes them what the micro-kernel
// multiplies: in [0, 255] if it `reads_unsigned`, else in [-128, 127]. The
// driver (mace/cpu/quantized) accounts for the zero points in `start`.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_Q8_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

struct GemmQ8Tile {
  size_t m;      // rows of sums that are wanted, in [1, mr]
  size_t n;      // columns of sums that are wanted, in [1, nr]
  size_t depth;  // a multiple of `step`, > 0
  const void* a;
  const int8_t* b;
  const int32_t* start;  // nr
  int32_t* sums;         // [mr][nr], 64-byte aligned; all may be written
};

// Sums wrap around at 32 bits.
using GemmQ8Fn = void(const GemmQ8Tile& tile);

// Whole tiles of mr rows and nr columns that become codes at once, without sums
// in memory between.
struct GemmQ8Codes {
  size_t tiles;
  size_t depth;        // as that of GemmQ8Tile
  const void* a;       // the first tile
  ptrdiff_t a_stride;  // bytes between tiles
  const int8_t* b;
  const int32_t* start;
  // How a sum becomes a code: as RequantizeQ8Tile says, in requantize_q8.h.
  const int32_t* mantissa;
  const int32_t* left;
  const int32_t* right;
  int32_t zero_point;
  int32_t least, most;
  uint8_t* y;
  ptrdiff_t y_stride;  // between rows
};
using GemmQ8CodesFn = void(const GemmQ8Codes& tiles);

// Rows to be packed as a tile of a. Row i is `segments` runs of n codes; run s
// begins at runs[s * m + i].
struct GemmQ8Rows {
  size_t m;  // in [1, mr]
  size_t n;
  size_t segments;
  const uint8_t* const* runs;
  uint8_t flip;   // each code is xor-ed with it: 0 or 0x80
  int32_t* sums;  // null, or gets the sum of each row's elements
  // For micro-kernels that take steps, if `runs` is null: run s of row i begins
  // at first + i * row_step + s * run_step.
  const uint8_t* first = nullptr;
  ptrdiff_t row_step = 0, run_step = 0;
};

// Writes elements of `a` for all codes, and anything behind them up to the end
// of each row's last line. Rows of a tile may also be packed in several calls,
// each to where its first one begins in the first line.
using GemmQ8PackFn = void(const GemmQ8Rows& rows, void* to);

constexpr int kGemmQ8MaxRows = 16;  // most rows of any tile
// Most sums of any tile.
constexpr int kGemmQ8MaxSums = 16 * 32;

GemmQ8Fn gemm_q8_4x8__scalar, gemm_q8_6x16__avx2, gemm_q8_6x16__avxvnni,
    gemm_q8_12x32__avx512vnni, gemm_q8_16x32__amxint8, gemm_q8_6x16__i8mm,
    gemm_q8_6x16__dotprod, gemm_q8_4x16__aarch64, gemm_q8_4x8__neon,
    gemm_q8_4x8_full__neon;
GemmQ8CodesFn gemm_q8_codes_12x32__avx512vnni, gemm_q8_codes_16x32__amxint8;
GemmQ8PackFn gemm_q8_pack_4__scalar, gemm_q8_pack_6__avx2,
    gemm_q8_pack_6__avxvnni, gemm_q8_pack_12__avx512vnni,
    gemm_q8_pack_16__amxint8, gemm_q8_pack_6__dotprod, gemm_q8_pack_4__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_Q8_H_
