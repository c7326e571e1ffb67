// The 4x8 tiles of int8 times blocks by SDOT, the instruction that adds up four
// products.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_blocks_arm.h"

namespace mace::cpu {
namespace {

template <typename B>
using Panel = GemmPanelBlock<B, kBlockColumns, 4>;

// The dots of a block of M rows with eight columns.
template <int M>
class Dots {
 public:
  Dots(const RowsBlock<M, 4>& rows, bool has_start)
      : values_(rows.values[0][0]) {
#pragma GCC unroll 4
    for (int i = 0; i < M; ++i) {
      // Hidden from GCC, which would begin with one, and copy it late.
      dots[i][0] = dots[i][1] = vdupq_n_s32(has_start ? rows.starts[i] : 0);
      asm("" : "+w"(dots[i][0]));
      asm("" : "+w"(dots[i][1]));
    }
  }

  template <typename B>
  void Add(const Panel<B>& b) {
    if constexpr (sizeof(B) == sizeof(W8Block)) {
      AddBytes<0>(b.bytes[0]);
      AddBytes<1>(b.bytes[1]);
      AddBytes<2>(b.bytes[2]);
      AddBytes<3>(b.bytes[3]);
      AddBytes<4>(b.bytes[4]);
      AddBytes<5>(b.bytes[5]);
      AddBytes<6>(b.bytes[6]);
      AddBytes<7>(b.bytes[7]);
    } else {
      AddPairs<0>(b.bytes[0]);
      StayInOrder();
      AddPairs<1>(b.bytes[1]);
      StayInOrder();
      AddPairs<2>(b.bytes[2]);
      StayInOrder();
      AddPairs<3>(b.bytes[3]);
    }
  }

  int32x4_t dots[M][2];

 private:
  // Adds the products of group G of all rows with four columns.
  template <int G, int kHalf, int I = 0>
  void AddGroup(int8x16_t columns) {
    constexpr int kWord = G * M + I;
    dots[I][kHalf] = vdotq_laneq_s32(
        dots[I][kHalf], columns, vld1q_s8(values_ + kWord / 4 * 16), kWord % 4);
    if constexpr (I + 1 < M) AddGroup<G, kHalf, I + 1>(columns);
  }
  template <int G, int kHalf>
  void AddHalf(const uint8_t* pairs) {
    const uint8x16_t both = vld1q_u8(pairs);
    AddGroup<G, kHalf>(vreinterpretq_s8_u8(vandq_u8(both, vdupq_n_u8(15))));
    AddGroup<G + 4, kHalf>(vreinterpretq_s8_u8(vshrq_n_u8(both, 4)));
  }
  template <int G>
  void AddPairs(const uint8_t (&pairs)[8][4]) {
    AddHalf<G, 0>(pairs[0]);
    AddHalf<G, 1>(pairs[4]);
  }
  template <int G>
  void AddBytes(const uint8_t (&bytes)[8][4]) {
    AddGroup<G, 0>(vreinterpretq_s8_u8(vld1q_u8(bytes[0])));
    AddGroup<G, 1>(vreinterpretq_s8_u8(vld1q_u8(bytes[4])));
  }

  // Keeps a compiler from loading more at once than there are registers for.
  static void StayInOrder() {
    if (M > 2) asm volatile("");
  }

  const int8_t* values_;
};

struct SdotTile {
  template <typename B, int M>
  static void Run(GemmBlocksTile<B> t) {
    constexpr bool kHasZero = sizeof(B) == sizeof(Q4ZeroBlock);
    const auto* b = reinterpret_cast<const Panel<B>*>(t.b());
    const auto* a = reinterpret_cast<const RowsBlock<M, 4>*>(t.a());
    float32x4_t sums[M][2];
#pragma GCC unroll 4
    for (int i = 0; i < M; ++i) sums[i][0] = sums[i][1] = vdupq_n_f32(0);
    for (size_t k = 0; k < t->k; k += kGemmBlock, ++a, ++b) {
      Dots<M> of_block(*a, !kHasZero);
      of_block.Add(*b);
#pragma GCC unroll 2
      for (int h = 0; h < 2; ++h) {
        const float32x4_t scales = Floats(b->scales + 4 * h);
#pragma GCC unroll 4
        for (int i = 0; i < M; ++i) {
          float32x4_t dot = vcvtq_f32_s32(of_block.dots[i][h]);
          if constexpr (kHasZero) {
            dot = vfmsq_n_f32(dot, Floats(b->zeros + 4 * h), a->sums[i]);
          }
          sums[i][h] = vfmaq_f32(sums[i][h], dot, scales);
        }
      }
    }
    a = reinterpret_cast<const RowsBlock<M, 4>*>(t.a());
#pragma GCC unroll 4
    for (int i = 0; i < M; ++i) {
      Finish(*t, i, a->scales[i], sums[i][0], sums[i][1]);
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
  return PackRows<4, kStartOfQ4>(rows, to);
}
Q8Block* gemm_w8_pack_4__dotprod(GemmUnpackedOf<float> rows, Q8Block* to) {
  return PackRows<4, 0>(rows, to);
}

}  // namespace mace::cpu
