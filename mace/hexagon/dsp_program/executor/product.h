// Rows of quantized values times packed filters, requantized: what convolutions
// and matrix products share. Only for the DSP.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_DSP_PROGRAM_EXECUTOR_PRODUCT_H_
#define MACE_HEXAGON_DSP_PROGRAM_EXECUTOR_PRODUCT_H_

#include "mace/hexagon/dsp_program/hvx/hvx.h"
#include "mace/hexagon/dsp_program/hvx/prefetch.h"
#include "mace/hexagon/dsp_program/hvx/ukernels/ukernels.h"
#include "mace/hexagon/protocol/ops.h"

namespace mace::hexagon {

constexpr GemmFunction* kSignedGemm[] = {mace_gemm_s8_1, mace_gemm_s8_2,
                                         mace_gemm_s8_3, mace_gemm_s8_4};
constexpr GemmFunction* kUnsignedGemm[] = {mace_gemm_u8_1, mace_gemm_u8_2,
                                           mace_gemm_u8_3, mace_gemm_u8_4};

// For 32, 64 and 128 outputs.
constexpr GemmRequantizeFunction* kSigned[] = {
    mace_gemm_requantize_s8_1, mace_gemm_requantize_s8_2, nullptr,
    mace_gemm_requantize_s8_4};
constexpr GemmRequantizeFunction* kUnsigned[] = {
    mace_gemm_requantize_u8_1, mace_gemm_requantize_u8_2, nullptr,
    mace_gemm_requantize_u8_4};

struct Product {
  int32_t depth;     // bytes of a row of x, a multiple of 8
  int32_t y_stride;  // bytes from row to row of y
  int32_t is_signed, has_left_shifts, rounds_once;
  OutputRange y;
  const int32_t* sums;  // of the rows of x (mace_row_sums)
  int32_t* acc;         // room for 32 rows of 128 sums

  // Whether rows of quantized values follow each other without gaps, so that
  // several of them fill a vector.
  bool is_flat(int32_t outputs) const {
    return outputs == y_stride && (outputs == 32 || outputs == 64);
  }

  // Products of `rows` rows, whose last group of four may be read beyond its
  // end, with up to 4 blocks of 32 outputs, of which `outputs` are there.
  void Block(const uint8_t* x, int32_t rows, const uint8_t* filter,
             const int32_t* stage, int32_t outputs, uint8_t* to) const {
    const int32_t blocks = (outputs + 31) >> 5;
    GemmArgs args = {x,      depth, rows & ~3,
                     filter, depth, sums,
                     stage,  acc,   is_flat(outputs) ? outputs : 128};
    int32_t done = 0;
    if (args.rows > 0 && fills_vectors(outputs, to)) {
      const GemmRequantize values = {y.zero_point, y.least, y.most, to,
                                     y_stride};
      (is_signed != 0 ? kSigned : kUnsigned)[blocks - 1](args, values);
      done = args.rows;
    }
    if (done == rows) return;
    args.x += done * depth;
    args.sums += done;
    args.rows = (rows - done + 3) & ~3;
    (is_signed != 0 ? kSignedGemm : kUnsignedGemm)[blocks - 1](args);
    Finish(stage, blocks, rows - done, outputs, to + done * y_stride);
  }

 private:
  // Whether four rows are whole vectors of quantized values.
  bool fills_vectors(int32_t outputs, const uint8_t* to) const {
    return has_left_shifts == 0 && rounds_once == 0 &&
           (reinterpret_cast<uintptr_t>(to) & (kVec - 1)) == 0 &&
           (is_flat(outputs) || (outputs == 128 && y_stride % kVec == 0));
  }

  RequantizeFunction* ChooseRequantize() const {
    if (rounds_once != 0) {
      return is_signed != 0 ? mace_requantize_once_s8 : mace_requantize_once_u8;
    }
    if (has_left_shifts != 0) {
      return is_signed != 0 ? mace_requantize_any_s8 : mace_requantize_any_u8;
    }
    return is_signed != 0 ? mace_requantize_s8 : mace_requantize_u8;
  }

  // Scales and stores `rows` rows of sums.
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
