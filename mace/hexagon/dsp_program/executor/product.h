// Rows of quantized values times packed filters, requantized: what convolutions
// and matrix products share. Only for the DSP.
// SPDX-License-Identifier: Apache-2.0
//
// One call of Block computes, for r < rows and n < outputs (at most 128),
//
//   y[r][n] = clamp(scale_n * (first[n] + sums[r] + sum over k of
//                    x[r][k] * w[n][k]) + zero_point, least, most)
//
// where w is uint8 and has an offset added (ConvParams). first[n] has the bias
// and takes back x's zero point; sums[r] takes back the offset of w. Blocks of
// 32 outputs fill a vector of words. There are two ways from sums to y:
//
//   groups of four rows, if fills_vectors:
//       mace_gemm_requantize_*: x, w -> registers -> y, whole vectors
//   all other rows:
//       mace_gemm_*: x, w -> acc;  mace_requantize_*: acc -> y, any bytes
#ifndef MACE_HEXAGON_DSP_PROGRAM_EXECUTOR_PRODUCT_H_
#define MACE_HEXAGON_DSP_PROGRAM_EXECUTOR_PRODUCT_H_

#include "mace/hexagon/dsp_program/hvx/hvx.h"
#include "mace/hexagon/dsp_program/hvx/prefetch.h"
#include "mace/hexagon/dsp_program/hvx/ukernels/ukernels.h"
#include "mace/hexagon/protocol/ops.h"

namespace mace::hexagon {

// By the number of blocks of 32 outputs, less 1: sums of int8 and uint8 rows.
constexpr GemmFunction* kSignedGemm[] = {mace_gemm_s8_1, mace_gemm_s8_2,
                                         mace_gemm_s8_3, mace_gemm_s8_4};
constexpr GemmFunction* kUnsignedGemm[] = {mace_gemm_u8_1, mace_gemm_u8_2,
                                           mace_gemm_u8_3, mace_gemm_u8_4};

// The same requantized in registers. No kernel for 96 outputs: their rows do
// not fill vectors, and fills_vectors never asks for it.
constexpr GemmRequantizeFunction* kSigned[] = {
    mace_gemm_requantize_s8_1, mace_gemm_requantize_s8_2, nullptr,
    mace_gemm_requantize_s8_4};
constexpr GemmRequantizeFunction* kUnsigned[] = {
    mace_gemm_requantize_u8_1, mace_gemm_requantize_u8_2, nullptr,
    mace_gemm_requantize_u8_4};

// What is the same for all blocks of a node. `acc` and `sums` are aligned to
// 128 and belong to one slice, which writes them: not thread-safe.
struct Product {
  int32_t depth;     // bytes of a row of x, a multiple of 8
  int32_t y_stride;  // bytes from row to row of y
  // As in ConvParams. is_signed is of x and y: w is always unsigned.
  int32_t is_signed, has_left_shifts, rounds_once;
  OutputRange y;
  const int32_t* sums;  // of the rows of x (mace_row_sums)
  int32_t* acc;         // room for 32 rows of 128 sums

  // Whether rows of quantized values follow each other without gaps, so that
  // several of them fill a vector: 4 rows of 32 or 2 rows of 64. Then rows of
  // sums lie in `acc` without gaps too; otherwise they are 128 words apart.
  bool is_flat(int32_t outputs) const {
    return outputs == y_stride && (outputs == 32 || outputs == 64);
  }

  // Multiplies `rows` rows by up to 4 blocks of 32 outputs, of which `outputs`
  // are stored, and requantizes. `rows` is 1 to 32; `outputs` is 1 to 128. `x`
  // is aligned to 8 and has rows of `depth` bytes without gaps; rows up to the
  // next multiple of 4 are read, and so are their `sums`. `filter` has
  // ceil(outputs / 32) blocks of 32 * depth bytes, `stage` as many of 96 words,
  // both aligned to 128. Writes `outputs` bytes at to + r * y_stride of each
  // row, no others, and may overwrite `acc`.
  void Block(const uint8_t* x, int32_t rows, const uint8_t* filter,
             const int32_t* stage, int32_t outputs, uint8_t* to) const {
    const int32_t blocks = (outputs + 31) >> 5;
    GemmArgs args = {x,      depth, rows & ~3,
                     filter, depth, sums,
                     stage,  acc,   is_flat(outputs) ? outputs : 128};
    // Whole groups of four rows go to y without a detour through acc, if stores
    // of whole vectors hit nothing else.
    int32_t done = 0;
    if (args.rows > 0 && fills_vectors(outputs, to)) {
      const GemmRequantize values = {y.zero_point, y.least, y.most, to,
                                     y_stride};
      (is_signed != 0 ? kSigned : kUnsigned)[blocks - 1](args, values);
      done = args.rows;
    }
    if (done == rows) return;
    // The remaining rows, at most three if `done` is not 0, are computed as a
    // full group; Finish stores only those that are there.
    args.x += done * depth;
    args.sums += done;
    args.rows = (rows - done + 3) & ~3;
    (is_signed != 0 ? kSignedGemm : kUnsignedGemm)[blocks - 1](args);
    Finish(stage, blocks, rows - done, outputs, to + done * y_stride);
  }

 private:
  // Whether four rows are whole vectors of quantized values, at aligned
  // addresses, and the kernels that requantize in registers have the rounding:
  // two roundings, and exponents of -31 to -1.
  bool fills_vectors(int32_t outputs, const uint8_t* to) const {
    return has_left_shifts == 0 && rounds_once == 0 &&
           (reinterpret_cast<uintptr_t>(to) & (kVec - 1)) == 0 &&
           (is_flat(outputs) || (outputs == 128 && y_stride % kVec == 0));
  }

  // rounds_once also covers left shifts (exponents up to 16).
  RequantizeFunction* ChooseRequantize() const {
    if (rounds_once != 0) {
      return is_signed != 0 ? mace_requantize_once_s8 : mace_requantize_once_u8;
    }
    if (has_left_shifts != 0) {
      return is_signed != 0 ? mace_requantize_any_s8 : mace_requantize_any_u8;
    }
    return is_signed != 0 ? mace_requantize_s8 : mace_requantize_u8;
  }

  // Scales and stores the first `rows` rows of sums in `acc`. Flat rows become
  // vectors of 128 values each, and what remains one shorter group.
  void Finish(const int32_t* stage, int32_t blocks, int32_t rows,
              int32_t outputs, uint8_t* to) const {
    RequantizeFunction* const requantize = ChooseRequantize();
    RequantizeArgs args;
    args.acc = acc;
    args.acc_stride = 128;
    args.groups = rows;
    args.stage = stage;
    args.stage_blocks = blocks;
    args.zero_point = y.zero_point;
    args.least = y.least;
    args.most = y.most;
    args.y = to;
    args.y_stride = y_stride;
    args.bytes = outputs;
    if (!is_flat(outputs)) {
      requantize(args);
      return;
    }
    const int32_t values = rows * outputs;
    args.y_stride = args.bytes = 128;
    args.groups = values / 128;
    if (args.groups > 0) requantize(args);
    if (values % 128 == 0) return;
    args.acc += args.groups * 128;
    args.y += args.groups * 128;
    args.groups = 1;
    args.bytes = values % 128;
    requantize(args);
  }
};

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_DSP_PROGRAM_EXECUTOR_PRODUCT_H_
