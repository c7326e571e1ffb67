// Sums of products by vrmpy: four rows of quantized values in scalar registers,
// blocks of 32 outputs in vectors, two products a packet.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/hvx/hvx.h"
#include "mace/hexagon/dsp_program/hvx/ukernels/ukernels.h"

namespace mace::hexagon {
namespace {

constexpr int kRows = 4;

template <bool kSigned>
MACE_HVX_INLINE Vec Add(Vec acc, Vec w, uint32_t x) {
  return kSigned ? Q6_Vw_vrmpyacc_VwVubRb(acc, w, static_cast<int32_t>(x))
                 : Q6_Vuw_vrmpyacc_VuwVubRub(acc, w, static_cast<int32_t>(x));
}

// acc[r][b] of four rows.
template <bool kSigned, int kBlocks>
MACE_HVX_INLINE void Sums(const GemmArgs& args, int32_t row,
                          Vec (&acc)[kRows][kBlocks]) {
  const Vec* w[kBlocks];
  const uint64_t* x[kRows];
#pragma unroll
  for (int b = 0; b < kBlocks; ++b) {
    w[b] = reinterpret_cast<const Vec*>(args.w + b * 32 * args.depth);
    const Vec first = Load(args.first + b * 96);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      acc[r][b] = Q6_Vw_vadd_VwVw(first, SplatWord(args.sums[row + r]));
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    x[r] =
        reinterpret_cast<const uint64_t*>(args.x + (row + r) * args.x_stride);
  }
  for (int32_t k = args.depth >> 3; k > 0; --k) {
    uint64_t values[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) values[r] = *x[r]++;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int b = 0; b < kBlocks; ++b) {
        const Vec v = *w[b]++;
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          acc[r][b] = Add<kSigned>(
              acc[r][b], v, static_cast<uint32_t>(values[r] >> (32 * half)));
        }
      }
    }
  }
}

template <bool kSigned, int kBlocks>
MACE_HVX_INLINE void AllRows(const GemmArgs& args) {
  for (int32_t row = 0; row < args.rows; row += kRows) {
    Vec acc[kRows][kBlocks];
    Sums<kSigned, kBlocks>(args, row, acc);
    int32_t* to = args.acc + row * args.acc_stride;
#pragma unroll
    for (int r = 0; r < kRows; ++r, to += args.acc_stride) {
#pragma unroll
      for (int b = 0; b < kBlocks; ++b) Store(to + b * 32, acc[r][b]);
    }
  }
}

// Rows of 32 * kBlocks quantized values that follow each other; for 4 blocks,
// with y_stride between them.
template <bool kSigned, int kBlocks>
MACE_HVX_INLINE void RequantizedBlocks(const GemmArgs& args,
                                       const GemmRequantize& values) {
  constexpr int kPerVector = 4 / kBlocks;  // rows
  const Vec zero_point = SplatHalf(values.zero_point);
  const Vec least = SplatByte(values.least), most = SplatByte(values.most);
  Vec mantissa[kBlocks], shift[kBlocks];
#pragma unroll
  for (int b = 0; b < kBlocks; ++b) {
    mantissa[b] = Load(args.first + b * 96 + 32);
    shift[b] = Q6_V_vnot_V(Load(args.first + b * 96 + 64));
  }
  uint8_t* y = values.y;
  const int32_t y_stride = kBlocks == 4 ? values.y_stride : kVec;
  for (int32_t row = 0; row < args.rows; row += kRows) {
    Vec acc[kRows][kBlocks];
    Sums<kSigned, kBlocks>(args, row, acc);
#pragma unroll
    for (int r = 0; r < kRows; r += kPerVector, y += y_stride) {
      Vec w[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int b = i % kBlocks;
        w[i] = RoundingShiftLess1(
            MultiplyHigh(acc[r + i / kBlocks][b], mantissa[b]), shift[b]);
      }
      Store(y, PackBytes<kSigned>(w[0], w[1], w[2], w[3], zero_point, least,
                                  most));
    }
  }
}

}  // namespace

extern "C" {
void mace_gemm_s8_1(const GemmArgs& args) { AllRows<true, 1>(args); }
void mace_gemm_s8_2(const GemmArgs& args) { AllRows<true, 2>(args); }
void mace_gemm_s8_3(const GemmArgs& args) { AllRows<true, 3>(args); }
void mace_gemm_s8_4(const GemmArgs& args) { AllRows<true, 4>(args); }
void mace_gemm_u8_1(const GemmArgs& args) { AllRows<false, 1>(args); }
void mace_gemm_u8_2(const GemmArgs& args) { AllRows<false, 2>(args); }
void mace_gemm_u8_3(const GemmArgs& args) { AllRows<false, 3>(args); }
void mace_gemm_u8_4(const GemmArgs& args) { AllRows<false, 4>(args); }
void mace_gemm_requantize_s8_1(const GemmArgs& args,
                               const GemmRequantize& values) {
  RequantizedBlocks<true, 1>(args, values);
}
void mace_gemm_requantize_s8_2(const GemmArgs& args,
                               const GemmRequantize& values) {
  RequantizedBlocks<true, 2>(args, values);
}
void mace_gemm_requantize_s8_4(const GemmArgs& args,
                               const GemmRequantize& values) {
  RequantizedBlocks<true, 4>(args, values);
}
void mace_gemm_requantize_u8_1(const GemmArgs& args,
                               const GemmRequantize& values) {
  RequantizedBlocks<false, 1>(args, values);
}
void mace_gemm_requantize_u8_2(const GemmArgs& args,
                               const GemmRequantize& values) {
  RequantizedBlocks<false, 2>(args, values);
}
void mace_gemm_requantize_u8_4(const GemmArgs& args,
                               const GemmRequantize& values) {
  RequantizedBlocks<false, 4>(args, values);
}
}

}  // namespace mace::hexagon
