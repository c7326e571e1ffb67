// The micro-kernels for the vector unit: pointers and strides only.
// SPDX-License-Identifier: Apache-2.0
//
// They are functions of C so that a profile by symbols names them. `_s8` and
// `_u8` tell the type of x and y. `w`, `first`, `stage` and `acc` are aligned
// to 128, and so is `sums` of mace_row_sums. They may read kReadSlack bytes
// past the end of x and write nothing past the end of y.
//
// A stage has, for each block of 32 outputs, 96 words (protocol/ops.h):
//
//   first[32] | mantissa[32] | exponent[32] | first[32] of the next block | ...
#ifndef MACE_HEXAGON_DSP_PROGRAM_HVX_UKERNELS_UKERNELS_H_
#define MACE_HEXAGON_DSP_PROGRAM_HVX_UKERNELS_UKERNELS_H_

#include <stdint.h>

namespace mace::hexagon {

// Sums of products of rows of quantized values with blocks of 32 outputs:
// acc[r][b * 32 + n] = first[b * 96 + n] + sums[r] + sum of x[r][k] *
// w[b][n][k], modulo 2^32. w is uint8. Four rows are computed at once; the
// registers of a kernel for B blocks, and a step of its loop over k:
//
//   acc[4][B]   vectors of 32 sums          w: vector k/4 of a block
//   values[4]   8 bytes of each row of x      lane n: w[n][k] .. w[n][k + 3]
//
//   for each half of the 8 bytes:  for each block:  v = the next vector of w
//       acc[r][b] += dot product of v's four bytes of a lane and x[r][k .. k+3]
struct GemmArgs {
  const uint8_t* x;  // aligned to 8
  int32_t x_stride;  // bytes, a multiple of 8
  int32_t rows;      // a multiple of 4
  const uint8_t* w;
  int32_t depth;        // a multiple of 8; a block of w has 32 * depth bytes
  const int32_t* sums;  // of each row
  const int32_t* first;
  int32_t* acc;
  int32_t acc_stride;  // words from row to row, a multiple of 32
};

// Where the sums of a GEMM go as quantized values: rows of 32, 64 or 128, with
// exponents of -31 to -1, which follow the first sums as in a stage. y is
// aligned to 128.
struct GemmRequantize {
  int32_t zero_point, least, most;
  uint8_t* y;
  int32_t y_stride;  // of rows of 128, a multiple of 128; other rows are dense
};

// Requantizes words of rows: groups of 128 words each become `bytes` values,
// clamp(word * mantissa * 2^(exponent - 31) + zero_point, least, most). All 128
// words of a group are read.
struct RequantizeArgs {
  const int32_t* acc;
  int32_t acc_stride;  // words from group to group
  int32_t groups;
  // Mantissas and exponents of the 128 words: block `q % stage_blocks` of the
  // stage is of words 32 * q to 32 * q + 31. So a group may hold 128 outputs of
  // one row (4 blocks; fewer if only the first outputs count), two rows of 64
  // or four of 32.
  const int32_t* stage;
  int32_t stage_blocks;
  int32_t zero_point, least, most;
  uint8_t* y;
  int32_t y_stride;  // bytes from group to group
  int32_t bytes;     // 1 to 128, stored of each group
};

// A strip of pixels of a depthwise convolution, 128 channels: acc[p][n] =
// first[n] + sum over columns c and rows r of the window of x[r][p *
// pixel_stride + c * column_stride + n] * w[c][r][n], modulo 2^32. w is int8.
// Rows come in groups of four, which vrmpy sums; rows beyond the window may be
// any line, because their bytes of w are 0. The order of w (lane n: four bytes
// of channel n):
//
//   for each column: for each group of rows: for each pass: 4 vectors
//       vector q: channels 32 * q .. 32 * q + 31, bytes of the group's 4 rows
struct DepthwiseArgs {
  const uint8_t* const* rows;  // of x: 4 for each group of rows
  int32_t row_groups;
  int32_t columns;        // of the window
  int32_t column_stride;  // bytes between columns of the window
  int32_t pixel_stride;   // bytes between windows
  int32_t pixels;         // of y
  int32_t passes;         // filters whose sum is the filter: 1 or 2
  const uint8_t* w;
  const int32_t* first;  // 4 blocks of 32, 96 words apart
  int32_t* acc;          // pixels x 128 words
};

extern "C" {

// For 1, 2, 3 and 4 blocks of outputs.
typedef void GemmFunction(const GemmArgs& args);
GemmFunction mace_gemm_s8_1, mace_gemm_s8_2, mace_gemm_s8_3, mace_gemm_s8_4;
GemmFunction mace_gemm_u8_1, mace_gemm_u8_2, mace_gemm_u8_3, mace_gemm_u8_4;

// The same, scaled at once, without `acc`, which may be null. Each of four rows
// has 32 * B outputs, which together are whole vectors of y.
typedef void GemmRequantizeFunction(const GemmArgs& args,
                                    const GemmRequantize& values);
GemmRequantizeFunction mace_gemm_requantize_s8_1, mace_gemm_requantize_s8_2;
GemmRequantizeFunction mace_gemm_requantize_s8_4, mace_gemm_requantize_u8_1;
GemmRequantizeFunction mace_gemm_requantize_u8_2, mace_gemm_requantize_u8_4;

// sums[r] = -offset * (sum of the quantized values of row r), for `rows` rows
// (8, 16, 24 or 32) of `depth` bytes, a multiple of 8. offset is 0 to 255. x
// has any alignment. Writes 32 sums; those past `rows` are 0. It makes up for
// w, in which `offset` was added to make it unsigned: sum of x * (w + offset)
// is too large by offset * (sum of x).
void mace_row_sums(const uint8_t* x, int32_t x_stride, int32_t rows,
                   int32_t depth, int32_t offset, int32_t is_signed,
                   int32_t* sums);

// These round twice, as MultiplyHigh and RoundingShiftLess1 do. `_any`:
// exponents of -31 to 31; the others: of -31 to -1.
typedef void RequantizeFunction(const RequantizeArgs& args);
RequantizeFunction mace_requantize_s8, mace_requantize_u8;
RequantizeFunction mace_requantize_any_s8, mace_requantize_any_u8;
// Rounded once; exponents of -31 to 16.
RequantizeFunction mace_requantize_once_s8, mace_requantize_once_u8;

// `_3s1` and `_3s2`: 3x3 windows in one pass, of stride 1 and 2 along a row,
// without dilation there. They keep the filter in twelve vectors, and the
// columns that the next window reads again; of the strides they read
// column_stride only. `_any`: any window. For all three, rows are aligned to
// 128 and strides are multiples of it.
typedef void DepthwiseFunction(const DepthwiseArgs& args);
DepthwiseFunction mace_depthwise_3s1_s8, mace_depthwise_3s1_u8;
DepthwiseFunction mace_depthwise_3s2_s8, mace_depthwise_3s2_u8;
DepthwiseFunction mace_depthwise_any_s8, mace_depthwise_any_u8;
// As `_any`, without that alignment: with C channels, of which 128 is a
// multiple, a vector holds 128 / C pixels, and `pixels` counts vectors.
DepthwiseFunction mace_depthwise_flat_s8, mace_depthwise_flat_u8;
}

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_DSP_PROGRAM_HVX_UKERNELS_UKERNELS_H_
