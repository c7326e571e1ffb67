// Sums of products by vrmpy: four rows of codes in scalar registers, blocks of
// 32 outputs in vectors, two products a packet.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/hvx/hvx.h"
#include "mace/hexagon/hvx/ukernels/ukernels.h"

namespace mace::hexagon {
namespace {

constexpr int kRows = 4;

template <bool kSigned>
MACE_HVX_INLINE Vec Add(Vec acc, Vec w, uint32_t x) {
  return kSigned ? Q6_Vw_vrmpyacc_VwVubRb(acc, w, static_cast<int32_t>(x))
                 : Q6_Vuw_vrmpyacc_VuwVubRub(acc, w, static_cast<int32_t>(x));
}

template <bool kSigned, int kBlocks>
MACE_HVX_INLINE void FourRows(const GemmArgs& args, int32_t row) {
  Vec acc[kRows][kBlocks];
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
    uint64_t codes[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) codes[r] = *x[r]++;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int b = 0; b < kBlocks; ++b) {
        const Vec v = *w[b]++;
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          acc[r][b] = Add<kSigned>(
              acc[r][b], v, static_cast<uint32_t>(codes[r] >> (32 * half)));
        }
      }
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int b = 0; b < kBlocks; ++b) {
      Store(args.acc + (row + r) * 128 + b * 32, acc[r][b]);
    }
  }
}

template <bool kSigned, int kBlocks>
MACE_HVX_INLINE void AllRows(const GemmArgs& args) {
  for (int32_t row = 0; row < args.rows; row += kRows) {
    FourRows<kSigned, kBlocks>(args, row);
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
}

}  // namespace mace::hexagon
