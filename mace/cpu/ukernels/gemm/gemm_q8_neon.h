// The 4x8 tile of int8 on NEON of armv7 and armv8, in lines of two depths.
// SPDX-License-Identifier: Apache-2.0
//
// A step of four depths, two pairs:
//
//   a   row 0: k0 k1 | row 1: k0 k1 | ... row 3 | row 0: k2 k3 | ... row 3
//   b0  column 0: k0 k1 | column 1: k0 k1 | ... | column 7: k0 k1
//   b1  column 0: k2 k3 | column 1: k2 k3 | ... | column 7: k2 k3
//
// A row's pair is repeated in all lanes. VMULL multiplies it with the pairs of
// four columns into 8 products of 16 bits, and VPADAL adds the two products of
// each column to its int32 sum. acc[row][0] has the sums of columns 0 to 3,
// acc[row][1] of 4 to 7, in 8 of the 16 registers of armv7.
//
// Included by gemm_q8_4x8__neon.cc and gemm_q8_4x8_full__neon.cc.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_Q8_NEON_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_Q8_NEON_H_

#include "mace/cpu/ukernels/gemm/gemm_q8_pack_pairs.h"

namespace mace::cpu {
namespace {

constexpr size_t kColumns = 8;

// Returns two depths of a row, four times. REQUIRES: `a` is an even number of
// bytes behind the start of the packed rows.
inline int8x8_t Pair(const int8_t* a) {
  return vreinterpret_s8_s16(vld1_dup_s16(reinterpret_cast<const int16_t*>(a)));
}

// Computes the first M rows of a tile. REQUIRES: t->k is a multiple of 4
// (k_pad).
//
// kAddsPairs: products of adjacent pairs of depths are added in 16 bits, which
// saves every other VPADAL. REQUIRES: elements of b are at least -127 (b_min),
// so that the sum of two products is at most 2 * 128 * 127. Without kAddsPairs,
// b may have -128, too.
template <bool kAddsPairs, int M>
inline void Multiply(GemmI8Tile t) {
  int32x4_t acc[M][2];
  for (int i = 0; i < M; ++i) {
    acc[i][0] = vld1q_s32(t.bias());
    acc[i][1] = vld1q_s32(t.bias() + 4);
  }
  const auto* a = t.a();
  const int8_t* b = t.b();
  for (size_t left = t->k; left > 0; left -= 2 * kPair) {
    const int8x16_t b0 = vld1q_s8(b), b1 = vld1q_s8(b + 16);
    b += 2 * kPair * kColumns;
#pragma GCC unroll 4
    for (int i = 0; i < M; ++i) {
      const int8x8_t x = Pair(a + 2 * i);
      const int8x8_t y = Pair(a + kPairRows * kPair + 2 * i);
      int16x8_t low = vmull_s8(x, vget_low_s8(b0));
      int16x8_t high = vmull_s8(x, vget_high_s8(b0));
      if (kAddsPairs) {
        low = vmlal_s8(low, y, vget_low_s8(b1));
        high = vmlal_s8(high, y, vget_high_s8(b1));
      } else {
        acc[i][0] = vpadalq_s16(acc[i][0], low);
        acc[i][1] = vpadalq_s16(acc[i][1], high);
        low = vmull_s8(y, vget_low_s8(b1));
        high = vmull_s8(y, vget_high_s8(b1));
      }
      acc[i][0] = vpadalq_s16(acc[i][0], low);
      acc[i][1] = vpadalq_s16(acc[i][1], high);
    }
    a += 2 * kPairRows * kPair;
  }
  for (int i = 0; i < M; ++i) {
    int32_t* to = t.c() + kColumns * static_cast<size_t>(i);
    vst1q_s32(to, acc[i][0]);
    vst1q_s32(to + 4, acc[i][1]);
  }
}

// Computes one row, two, or all four, but at least t->m: the body of a GemmFn.
template <bool kAddsPairs>
inline void MultiplyRows(GemmI8Tile t) {
  if (t->m > 2) return Multiply<kAddsPairs, 4>(t);
  if (t->m > 1) return Multiply<kAddsPairs, 2>(t);
  Multiply<kAddsPairs, 1>(t);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_Q8_NEON_H_
