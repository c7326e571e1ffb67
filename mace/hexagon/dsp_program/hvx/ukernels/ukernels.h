// The micro-kernels for the vector unit: pointers and strides only.
// SPDX-License-Identifier: Apache-2.0
//
// They are functions of C so that a profile by symbols names them.
#ifndef MACE_HEXAGON_DSP_UKERNELS_UKERNELS_H_
#define MACE_HEXAGON_DSP_UKERNELS_UKERNELS_H_

#include <stdint.h>

namespace mace::hexagon {

// Sums of products of rows of quantized values with blocks of 32 outputs:
// acc[r][b * 32 + n] = first[b * 96 + n] + sums[r] + sum of x[r][k] *
// w[b][n][k].
struct GemmArgs {
  const uint8_t* x;
  int32_t x_stride;  // bytes, a multiple of 8
  int32_t rows;      // a multiple of 4
  const uint8_t* w;
  int32_t depth;  // a multiple of 8; a block of w has 32 * depth bytes
  const int32_t* sums;
  const int32_t* first;
  int32_t* acc;
  int32_t acc_stride;  // words from row to row
};

// Where the sums of a GEMM go as quantized values: rows of 32, 64 or 128, with
// exponents of -31 to -1, which follow the first sums as in a stage. y is
// aligned to 128.
struct GemmRequantize {
  int32_t zero_point, least, most;
  uint8_t* y;
  int32_t y_stride;  // of rows of 128, a multiple of 128; other rows are dense
};

// Requantizes words of rows: groups of 128 words each become `bytes` values.
struct RequantizeArgs {
  const int32_t* acc;
  int32_t acc_stride;  // words from group to group
  int32_t groups;
  // Mantissas and exponents of the 128 words, in fours of vectors that lie
  // `stage_stride` words apart, the first of `stage_blocks` ones in turn.
  const int32_t* stage;
  int32_t stage_blocks;
  int32_t zero_point, least, most;
  uint8_t* y;
  int32_t y_stride;
  int32_t bytes;
};

// Lines of a depthwise convolution, channels in blocks of 128.
struct DepthwiseArgs {
  const uint8_t* const* rows;  // of x: 4 for each group of rows
  int32_t row_groups;
  int32_t columns;        // of the window
  int32_t column_stride;  // bytes between columns of the window
  int32_t pixel_stride;   // bytes between windows
  int32_t pixels;         // of y
  int32_t passes;
  const uint8_t* w;
  const int32_t* first;  // 4 blocks of 32, 96 words apart
  int32_t* acc;          // pixels x 128 words
};

extern "C" {

// For 1, 2, 3 and 4 blocks of outputs.
typedef void GemmFunction(const GemmArgs& args);
GemmFunction mace_gemm_s8_1, mace_gemm_s8_2, mace_gemm_s8_3, mace_gemm_s8_4;
GemmFunction mace_gemm_u8_1, mace_gemm_u8_2, mace_gemm_u8_3, mace_gemm_u8_4;

// The same, scaled at once, without `acc`.
typedef void GemmRequantizeFunction(const GemmArgs& args,
                                    const GemmRequantize& values);
GemmRequantizeFunction mace_gemm_requantize_s8_1, mace_gemm_requantize_s8_2;
GemmRequantizeFunction mace_gemm_requantize_s8_4, mace_gemm_requantize_u8_1;
GemmRequantizeFunction mace_gemm_requantize_u8_2, mace_gemm_requantize_u8_4;

// sums[r] = -offset * (sum of the quantized values of row r), for `rows` rows
// (8, 16, 24 or 32) of `depth` bytes, a multiple of 8. Writes 32 sums.
void mace_row_sums(const uint8_t* x, int32_t x_stride, int32_t rows,
                   int32_t depth, int32_t offset, int32_t is_signed,
                   int32_t* sums);

// `_any`: exponents of -31 to 31; the others: of -31 to -1.
typedef void RequantizeFunction(const RequantizeArgs& args);
RequantizeFunction mace_requantize_s8, mace_requantize_u8;
RequantizeFunction mace_requantize_any_s8, mace_requantize_any_u8;
// Rounded once; exponents of -31 to 16.
RequantizeFunction mace_requantize_once_s8, mace_requantize_once_u8;

// For 3x3 windows without dilation, of stride 1 and 2, in one pass; and any.
typedef void DepthwiseFunction(const DepthwiseArgs& args);
DepthwiseFunction mace_depthwise_3s1_s8, mace_depthwise_3s1_u8;
DepthwiseFunction mace_depthwise_3s2_s8, mace_depthwise_3s2_u8;
DepthwiseFunction mace_depthwise_any_s8, mace_depthwise_any_u8;
// As `any`, for rows and strides that are not multiples of 128 bytes: with C
// channels, of which 128 is a multiple, a vector holds 128 / C pixels.
DepthwiseFunction mace_depthwise_flat_s8, mace_depthwise_flat_u8;
}

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_DSP_UKERNELS_UKERNELS_H_
