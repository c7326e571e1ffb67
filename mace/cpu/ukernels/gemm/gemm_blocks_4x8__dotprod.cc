// The 4x8 tiles of int8 times blocks by SDOT, the instruction that adds up four
// products.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_blocks_arm.h"

namespace mace::cpu {
namespace {

template <typename B>
using Panel = GemmPanelBlock<B, kBlockColumns, 4>;

// The values of a block of M rows, and their dots with eight columns.
template <int M>
struct Rows {
  int8x16_t low[M], high[M];
  int32x4_t dots[M][2];

  // Adds the products of group G of the values, of which `half` are the 16.
  template <int G>
  void Add(const int8x16_t (&half)[M], int8x16_t first, int8x16_t second) {
#pragma GCC unroll 4
    for (int i = 0; i < M; ++i) {
      dots[i][0] = vdotq_laneq_s32(dots[i][0], first, half[i], G);
      dots[i][1] = vdotq_laneq_s32(dots[i][1], second, half[i], G);
    }
  }
  template <int G>
  void AddPairs(const uint8_t (&pairs)[8][4]) {
    const uint8x16_t a = vld1q_u8(pairs[0]), b = vld1q_u8(pairs[4]);
    const uint8x16_t mask = vdupq_n_u8(15);
    Add<G>(low, vreinterpretq_s8_u8(vandq_u8(a, mask)),
           vreinterpretq_s8_u8(vandq_u8(b, mask)));
    Add<G>(high, vreinterpretq_s8_u8(vshrq_n_u8(a, 4)),
           vreinterpretq_s8_u8(vshrq_n_u8(b, 4)));
  }
  template <int G>
  void AddBytes(const uint8_t (&a)[8][4], const int8x16_t (&half)[M]) {
    Add<G>(half, vreinterpretq_s8_u8(vld1q_u8(a[0])),
           vreinterpretq_s8_u8(vld1q_u8(a[4])));
  }

  template <typename B>
  void AddBlock(const Panel<B>& b) {
    if constexpr (sizeof(B) == sizeof(W8Block)) {
      AddBytes<0>(b.bytes[0], low);
      AddBytes<1>(b.bytes[1], low);
      AddBytes<2>(b.bytes[2], low);
      AddBytes<3>(b.bytes[3], low);
      AddBytes<0>(b.bytes[4], high);
      AddBytes<1>(b.bytes[5], high);
      AddBytes<2>(b.bytes[6], high);
      AddBytes<3>(b.bytes[7], high);
    } else {
      AddPairs<0>(b.bytes[0]);
      AddPairs<1>(b.bytes[1]);
      AddPairs<2>(b.bytes[2]);
      AddPairs<3>(b.bytes[3]);
    }
  }
};

struct SdotTile {
  template <typename B, int M>
  static void Run(GemmBlocksTile<B> t) {
    constexpr bool kHasZero = sizeof(B) == sizeof(Q4ZeroBlock);
    const auto* b = reinterpret_cast<const Panel<B>*>(t.b());
    const Q8Block* a = t.a();
    float32x4_t sums[M][2];
#pragma GCC unroll 4
    for (int i = 0; i < M; ++i) sums[i][0] = sums[i][1] = vdupq_n_f32(0);
    for (size_t k = 0; k < t->k; k += kGemmBlock, a += M, ++b) {
      Rows<M> rows;
#pragma GCC unroll 4
      for (int i = 0; i < M; ++i) {
        rows.low[i] = vld1q_s8(a[i].values);
        rows.high[i] = vld1q_s8(a[i].values + 16);
        rows.dots[i][0] = rows.dots[i][1] =
            vdupq_n_s32(kHasZero ? 0 : a[i].start);
      }
      rows.AddBlock(*b);
#pragma GCC unroll 2
      for (int h = 0; h < 2; ++h) {
        const float32x4_t scales = Floats(b->scales + 4 * h);
#pragma GCC unroll 4
        for (int i = 0; i < M; ++i) {
          float32x4_t dot = vcvtq_f32_s32(rows.dots[i][h]);
          if constexpr (kHasZero) {
            dot = vfmsq_n_f32(dot, Floats(b->zeros + 4 * h), a[i].sum);
          }
          sums[i][h] = vfmaq_f32(sums[i][h], dot, scales);
        }
      }
    }
#pragma GCC unroll 4
    for (int i = 0; i < M; ++i) {
      Finish(*t, i, t.a()[i].scale, sums[i][0], sums[i][1]);
    }
  }
};

}  // namespace

void gemm_q4_4x8__dotprod(GemmQ4Tile tile) {
  MultiplyBlocks<SdotTile, Q4Block>(tile);
}
void gemm_q4z_4x8__dotprod(GemmQ4ZeroTile tile) {
  MultiplyBlocks<SdotTile, Q4ZeroBlock>(tile);
}
void gemm_w8_4x8__dotprod(GemmW8Tile tile) {
  MultiplyBlocks<SdotTile, W8Block>(tile);
}

Q8Block* gemm_q4_pack_4__dotprod(GemmUnpackedOf<float> rows, Q8Block* to) {
  return PackQ8Blocks<kStartOfQ4>(rows, to);
}
Q8Block* gemm_w8_pack_4__dotprod(GemmUnpackedOf<float> rows, Q8Block* to) {
  return PackQ8Blocks<0>(rows, to);
}

}  // namespace mace::cpu
