// The 4x8 tiles of int8 times blocks by SMMLA, which multiplies two rows of
// eight depths by two columns; one row by SDOT.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_blocks_arm.h"

namespace mace::cpu {
namespace {

template <typename B>
using Panel = GemmPanelBlock<B, kBlockColumns, 8>;
constexpr int kColumnPairs = 4;  // of a panel

// P pairs of rows. An accumulator has two columns of one row, then of the
// other.
template <int P>
using Dots = int32x4_t[P][kColumnPairs];

template <int P>
inline void AddDepths(const int8x16_t (&rows)[P], int8x16_t columns, int q,
                      Dots<P>& dots) {
#pragma GCC unroll 2
  for (int p = 0; p < P; ++p) {
    dots[p][q] = vmmlaq_s32(dots[p][q], rows[p], columns);
  }
}

// Elements 2 * q and 2 * q + 1, twice.
inline float32x4_t TwoTwice(const Fp16* from, int q) {
  const float64x2_t four = vreinterpretq_f64_f32(Floats(from + q / 2 * 4));
  return vreinterpretq_f32_f64(q % 2 == 0 ? vdupq_laneq_f64(four, 0)
                                          : vdupq_laneq_f64(four, 1));
}

struct SmmlaTile {
  static constexpr size_t kGroup = 8;

  // Eight values of rows 2 * p and 2 * p + 1. Of an odd number of rows, the
  // last one is multiplied twice.
  template <int M>
  static int8x16_t TwoRows(const RowsBlock<M, 8>& a, int p, int g) {
    const int8_t* values = a.values[g][2 * p];
    if (2 * p + 1 < M) return vld1q_s8(values);
    return vreinterpretq_s8_s64(
        vdupq_lane_s64(vreinterpret_s64_s8(vld1_s8(values)), 0));
  }

  // What the dots of rows 2 * p and 2 * p + 1 begin with.
  template <int M>
  static int32x4_t StartOf(const RowsBlock<M, 8>& a, int p) {
    if constexpr (M % 4 == 0) {
      const int32x4_t four = vld1q_s32(a.starts + p / 2 * 4);
      return p % 2 == 0 ? vzip1q_s32(four, four) : vzip2q_s32(four, four);
    }
    return vcombine_s32(vdup_n_s32(a.starts[2 * p]),
                        vdup_n_s32(a.starts[2 * p + (2 * p + 1 < M ? 1 : 0)]));
  }

  template <typename B, int M, int P>
  static void AddBlock(const Panel<B>& b, const RowsBlock<M, 8>& a,
                       Dots<P>& dots) {
    constexpr bool kPairs = sizeof(B) != sizeof(W8Block);
#pragma GCC unroll 4
    for (int g = 0; g < (kPairs ? 2 : 4); ++g) {
      int8x16_t first[P], second[P];
#pragma GCC unroll 2
      for (int p = 0; p < P; ++p) {
        first[p] = TwoRows<M>(a, p, g);
        if (kPairs) second[p] = TwoRows<M>(a, p, g + 2);
      }
#pragma GCC unroll 4
      for (int q = 0; q < kColumnPairs; ++q) {
        const uint8x16_t bytes = vld1q_u8(b.bytes[g][2 * q]);
        if constexpr (kPairs) {
          AddDepths<P>(first,
                       vreinterpretq_s8_u8(vandq_u8(bytes, vdupq_n_u8(15))), q,
                       dots);
          AddDepths<P>(second, vreinterpretq_s8_u8(vshrq_n_u8(bytes, 4)), q,
                       dots);
        } else {
          AddDepths<P>(first, vreinterpretq_s8_u8(bytes), q, dots);
        }
      }
    }
  }

  template <typename B, int M>
  static void Run(GemmBlocksTile<B> t) {
    if constexpr (M == 1) return RunRow(t);
    constexpr bool kHasZero = sizeof(B) == sizeof(Q4ZeroBlock);
    constexpr int P = (M + 1) / 2;
    const auto* b = reinterpret_cast<const Panel<B>*>(t.b());
    const auto* a = reinterpret_cast<const RowsBlock<M, 8>*>(t.a());
    const auto second = [](int p) { return 2 * p + 1 < M ? 2 * p + 1 : 2 * p; };
    float32x4_t sums[P][kColumnPairs];
#pragma GCC unroll 2
    for (int p = 0; p < P; ++p) {
#pragma GCC unroll 4
      for (float32x4_t& sum : sums[p]) sum = vdupq_n_f32(0);
    }
    for (size_t k = 0; k < t->k; k += kGemmBlock, ++a, ++b) {
      Dots<P> dots;
#pragma GCC unroll 2
      for (int p = 0; p < P; ++p) {
        const int32x4_t start = kHasZero ? vdupq_n_s32(0) : StartOf<M>(*a, p);
#pragma GCC unroll 4
        for (int32x4_t& dot : dots[p]) {
          dot = start;
          asm("" : "+w"(dot));  // or else GCC copies it late
        }
      }
      AddBlock<B, M, P>(*b, *a, dots);
#pragma GCC unroll 4
      for (int q = 0; q < kColumnPairs; ++q) {
        const float32x4_t scales = TwoTwice(b->scales, q);
#pragma GCC unroll 2
        for (int p = 0; p < P; ++p) {
          float32x4_t dot = vcvtq_f32_s32(dots[p][q]);
          if constexpr (kHasZero) {
            dot = vfmsq_f32(dot, TwoTwice(b->zeros, q),
                            vcombine_f32(vdup_n_f32(a->sums[2 * p]),
                                         vdup_n_f32(a->sums[second(p)])));
          }
          sums[p][q] = vfmaq_f32(sums[p][q], dot, scales);
        }
      }
    }
    a = reinterpret_cast<const RowsBlock<M, 8>*>(t.a());
#pragma GCC unroll 4
    for (int i = 0; i < M; ++i) {
      const auto two = [&](int q) {
        const float32x4_t sum = sums[i / 2][q];
        return i % 2 == 0 ? vget_low_f32(sum) : vget_high_f32(sum);
      };
#pragma GCC unroll 2
      for (int q = 0; q < kColumnPairs; q += 2) {
        FinishHalf(*t, i, q / 2, a->scales[i],
                   vcombine_f32(two(q), two(q + 1)));
      }
    }
  }

  // One row, of which SMMLA would compute everything twice. An accumulator of
  // SDOT has two columns, each in two parts.
  template <typename B>
  static void RunRow(GemmBlocksTile<B> t) {
    constexpr bool kHasZero = sizeof(B) == sizeof(Q4ZeroBlock);
    const auto* b = reinterpret_cast<const Panel<B>*>(t.b());
    const auto* a = reinterpret_cast<const RowsBlock<1, 8>*>(t.a());
    float32x4_t sums[2] = {vdupq_n_f32(0), vdupq_n_f32(0)};
    for (size_t k = 0; k < t->k; k += kGemmBlock, ++a, ++b) {
      int32x4_t dots[kColumnPairs];
      // In the first part of each column.
      const int32x4_t start = vreinterpretq_s32_u64(
          vdupq_n_u64(kHasZero ? 0 : static_cast<uint32_t>(a->starts[0])));
#pragma GCC unroll 4
      for (int32x4_t& dot : dots) {
        dot = start;
        asm("" : "+w"(dot));
      }
      AddRow(*b, *a, dots);
#pragma GCC unroll 2
      for (int h = 0; h < 2; ++h) {
        const int32x4_t four = vpaddq_s32(dots[2 * h], dots[2 * h + 1]);
        float32x4_t dot = vcvtq_f32_s32(four);
        if constexpr (kHasZero) {
          dot = vfmsq_n_f32(dot, Floats(b->zeros + 4 * h), a->sums[0]);
        }
        sums[h] = vfmaq_f32(sums[h], dot, Floats(b->scales + 4 * h));
      }
    }
    a = reinterpret_cast<const RowsBlock<1, 8>*>(t.a());
    FinishHalf(*t, 0, 0, a->scales[0], sums[0]);
    FinishHalf(*t, 0, 1, a->scales[0], sums[1]);
  }

  template <typename B>
  static void AddRow(const Panel<B>& b, const RowsBlock<1, 8>& a,
                     int32x4_t (&dots)[kColumnPairs]) {
    constexpr bool kPairs = sizeof(B) != sizeof(W8Block);
#pragma GCC unroll 4
    for (int g = 0; g < (kPairs ? 2 : 4); ++g) {
      const int8x16_t first = TwoRows<1>(a, 0, g);
      const int8x16_t second = TwoRows<1>(a, 0, kPairs ? g + 2 : g);
#pragma GCC unroll 4
      for (int q = 0; q < kColumnPairs; ++q) {
        const uint8x16_t bytes = vld1q_u8(b.bytes[g][2 * q]);
        const uint8x16_t low = kPairs ? vandq_u8(bytes, vdupq_n_u8(15)) : bytes;
        dots[q] = vdotq_s32(dots[q], vreinterpretq_s8_u8(low), first);
        if (!kPairs) continue;
        dots[q] = vdotq_s32(dots[q], vreinterpretq_s8_u8(vshrq_n_u8(bytes, 4)),
                            second);
      }
    }
  }
};

}  // namespace

void gemm_q4_4x8__i8mm(GemmQ4Tile tile) {
  MultiplyBlocks<kFewBlockRows, SmmlaTile, Q4Block>(tile);
}
void gemm_q4z_4x8__i8mm(GemmQ4ZeroTile tile) {
  MultiplyBlocks<kFewBlockRows, SmmlaTile, Q4ZeroBlock>(tile);
}
void gemm_w8_4x8__i8mm(GemmW8Tile tile) {
  MultiplyBlocks<kFewBlockRows, SmmlaTile, W8Block>(tile);
}

void gemm_q4_row_8__i8mm(GemmQ4Tile tile) {
  MultiplyRow<SmmlaTile, Q4Block>(tile);
}
void gemm_q4z_row_8__i8mm(GemmQ4ZeroTile tile) {
  MultiplyRow<SmmlaTile, Q4ZeroBlock>(tile);
}
void gemm_w8_row_8__i8mm(GemmW8Tile tile) {
  MultiplyRow<SmmlaTile, W8Block>(tile);
}

Q8Block* gemm_q4_pack_4__i8mm(GemmUnpackedOf<float> rows, Q8Block* to) {
  return PackRows<kFewBlockRows, 8, kStartOfQ4>(rows, to);
}
Q8Block* gemm_w8_pack_4__i8mm(GemmUnpackedOf<float> rows, Q8Block* to) {
  return PackRows<kFewBlockRows, 8, 0>(rows, to);
}

}  // namespace mace::cpu
