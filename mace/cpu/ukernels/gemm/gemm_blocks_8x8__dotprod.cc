// The 8x8 tiles of int8 times blocks by SDOT, the instruction that adds up four
// products.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_blocks_arm.h"

namespace mace::cpu {
namespace {

constexpr int kSdotRows = 8;

template <typename B>
using Panel = GemmPanelBlock<B, kBlockColumns, 4>;

// The dots of a block of M rows with H times four columns.
template <int M, int H>
class Dots {
 public:
  Dots(const RowsBlock<M, 4>& rows, bool has_start)
      : values_(rows.values[0][0]) {
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i) {
#pragma GCC unroll 2
      for (int32x4_t& dot : dots[i]) {
        dot = vdupq_n_s32(has_start ? rows.starts[i] : 0);
        asm("" : "+w"(dot));  // or else GCC copies it late
      }
    }
  }

  // Columns begin with those of a half.
  template <typename B>
  void Add(const Panel<B>& b, int half) {
    if constexpr (sizeof(B) == sizeof(W8Block)) {
      AddBytes<0>(b.bytes[0] + 4 * half);
      AddBytes<1>(b.bytes[1] + 4 * half);
      AddBytes<2>(b.bytes[2] + 4 * half);
      AddBytes<3>(b.bytes[3] + 4 * half);
      AddBytes<4>(b.bytes[4] + 4 * half);
      AddBytes<5>(b.bytes[5] + 4 * half);
      AddBytes<6>(b.bytes[6] + 4 * half);
      AddBytes<7>(b.bytes[7] + 4 * half);
    } else {
      AddPairs<0>(b.bytes[0] + 4 * half);
      StayInOrder();
      AddPairs<1>(b.bytes[1] + 4 * half);
      StayInOrder();
      AddPairs<2>(b.bytes[2] + 4 * half);
      StayInOrder();
      AddPairs<3>(b.bytes[3] + 4 * half);
    }
  }

  int32x4_t dots[M][H];

 private:
  // Adds the products of group G of all rows with four columns.
  template <int G, int kHalf>
  void AddGroup(int8x16_t columns) {
    if constexpr (M == kSdotRows) {
      AddEight<G>(columns);
    } else {
      AddRow<G, kHalf, 0>(columns);
    }
  }
  template <int G, int kHalf, int I>
  void AddRow(int8x16_t columns) {
    constexpr int kWord = G * M + I;
    dots[I][kHalf] = vdotq_laneq_s32(
        dots[I][kHalf], columns, vld1q_s8(values_ + kWord / 4 * 16), kWord % 4);
    if constexpr (I + 1 < M) AddRow<G, kHalf, I + 1>(columns);
  }
  // Compilers run out of registers here, and copy accumulators.
  template <int G>
  void AddEight(int8x16_t columns) {
    int8x16_t first, last;
    asm volatile(
        "ldp %q[first], %q[last], [%[values], %[at]]\n"
        "sdot %[d0].4s, %[columns].16b, %[first].4b[0]\n"
        "sdot %[d1].4s, %[columns].16b, %[first].4b[1]\n"
        "sdot %[d2].4s, %[columns].16b, %[first].4b[2]\n"
        "sdot %[d3].4s, %[columns].16b, %[first].4b[3]\n"
        "sdot %[d4].4s, %[columns].16b, %[last].4b[0]\n"
        "sdot %[d5].4s, %[columns].16b, %[last].4b[1]\n"
        "sdot %[d6].4s, %[columns].16b, %[last].4b[2]\n"
        "sdot %[d7].4s, %[columns].16b, %[last].4b[3]\n"
        : [first] "=&w"(first), [last] "=&w"(last), [d0] "+w"(dots[0][0]),
          [d1] "+w"(dots[1][0]), [d2] "+w"(dots[2][0]), [d3] "+w"(dots[3][0]),
          [d4] "+w"(dots[4][0]), [d5] "+w"(dots[5][0]), [d6] "+w"(dots[6][0]),
          [d7] "+w"(dots[7][0])
        : [columns] "w"(columns), [values] "r"(values_), [at] "i"(32 * G),
          "m"(*reinterpret_cast<const int8_t(*)[kSdotRows * kGemmBlock]>(
              values_)));
  }
  template <int G, int kHalf>
  void AddHalf(const uint8_t* pairs) {
    const uint8x16_t both = vld1q_u8(pairs);
    AddGroup<G, kHalf>(vreinterpretq_s8_u8(vandq_u8(both, vdupq_n_u8(15))));
    AddGroup<G + 4, kHalf>(vreinterpretq_s8_u8(vshrq_n_u8(both, 4)));
  }
  template <int G>
  void AddPairs(const uint8_t (*pairs)[4]) {
    AddHalf<G, 0>(pairs[0]);
    if constexpr (H > 1) AddHalf<G, 1>(pairs[4]);
  }
  template <int G>
  void AddBytes(const uint8_t (*bytes)[4]) {
    AddGroup<G, 0>(vreinterpretq_s8_u8(vld1q_u8(bytes[0])));
    if constexpr (H > 1) {
      AddGroup<G, 1>(vreinterpretq_s8_u8(vld1q_u8(bytes[4])));
    }
  }

  // Keeps a compiler from loading more at once than there are registers for.
  static void StayInOrder() {
    if (M > 2 && M < kSdotRows) asm volatile("");
  }

  const int8_t* values_;
};

struct SdotTile {
  static constexpr size_t kGroup = 4;

  template <typename B, int M>
  static void Run(GemmBlocksTile<B> t) {
    // The accumulators of more rows would not fit into the registers.
    constexpr int kHalves = M <= kFewBlockRows ? 2 : 1;
    for (int half = 0; half < 2; half += kHalves) {
      RunColumns<B, M, kHalves>(t, half);
    }
  }

  template <typename B, int M, int H>
  static void RunColumns(GemmBlocksTile<B> t, int half) {
    constexpr bool kHasZero = sizeof(B) == sizeof(Q4ZeroBlock);
    const auto* b = reinterpret_cast<const Panel<B>*>(t.b());
    const auto* a = reinterpret_cast<const RowsBlock<M, 4>*>(t.a());
    float32x4_t sums[M][H];
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i) {
#pragma GCC unroll 2
      for (float32x4_t& sum : sums[i]) sum = vdupq_n_f32(0);
    }
    for (size_t k = 0; k < t->k; k += kGemmBlock, ++a, ++b) {
      Dots<M, H> of_block(*a, !kHasZero);
      of_block.Add(*b, half);
#pragma GCC unroll 2
      for (int h = 0; h < H; ++h) {
        const float32x4_t scales = Floats(b->scales + 4 * (half + h));
#pragma GCC unroll 8
        for (int i = 0; i < M; ++i) {
          float32x4_t dot = vcvtq_f32_s32(of_block.dots[i][h]);
          if constexpr (kHasZero) {
            dot =
                vfmsq_n_f32(dot, Floats(b->zeros + 4 * (half + h)), a->sums[i]);
          }
          sums[i][h] = vfmaq_f32(sums[i][h], dot, scales);
        }
      }
    }
    a = reinterpret_cast<const RowsBlock<M, 4>*>(t.a());
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i) {
#pragma GCC unroll 2
      for (int h = 0; h < H; ++h) {
        FinishHalf(*t, i, half + h, a->scales[i], sums[i][h]);
      }
    }
  }
};

}  // namespace

void gemm_q4_8x8__dotprod(GemmQ4Tile tile) {
  MultiplyBlocks<kSdotRows, SdotTile, Q4Block>(tile);
}
void gemm_q4z_8x8__dotprod(GemmQ4ZeroTile tile) {
  MultiplyBlocks<kSdotRows, SdotTile, Q4ZeroBlock>(tile);
}
void gemm_w8_8x8__dotprod(GemmW8Tile tile) {
  MultiplyBlocks<kSdotRows, SdotTile, W8Block>(tile);
}

void gemm_q4_row_8__dotprod(GemmQ4Tile tile) {
  MultiplyRow<SdotTile, Q4Block>(tile);
}
void gemm_q4z_row_8__dotprod(GemmQ4ZeroTile tile) {
  MultiplyRow<SdotTile, Q4ZeroBlock>(tile);
}
void gemm_w8_row_8__dotprod(GemmW8Tile tile) {
  MultiplyRow<SdotTile, W8Block>(tile);
}

Q8Block* gemm_q4_pack_8__dotprod(GemmUnpackedOf<float> rows, Q8Block* to) {
  return PackRows<kSdotRows, 4, kStartOfQ4>(rows, to);
}
Q8Block* gemm_w8_pack_8__dotprod(GemmUnpackedOf<float> rows, Q8Block* to) {
  return PackRows<kSdotRows, 4, 0>(rows, to);
}

}  // namespace mace::cpu
