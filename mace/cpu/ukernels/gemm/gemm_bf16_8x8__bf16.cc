// The 8x8 GEMM tile of bfloat16 on armv8.6: BFMMLA multiplies two rows of four
// elements with two columns of four.
// SPDX-License-Identifier: Apache-2.0

#include <arm_neon.h>

#include "mace/cpu/ukernels/gemm/gemm_16bit_arm.h"
#include "mace/cpu/ukernels/gemm/gemm_packed_tiles.h"

namespace mace::cpu {
namespace {

constexpr size_t kRows = 8, kColumns = 8;
constexpr int kPairs = 4;  // of rows, and of columns
constexpr size_t kStep = 4;

// Computes the 2x2 blocks of one full tile. Rows that do not exist may hold any
// values.
void Multiply(const bfloat16_t* a, const bfloat16_t* b, size_t k,
              float32x4_t (&acc)[kPairs][kPairs]) {
#pragma GCC unroll 4
  for (auto& row : acc) {
#pragma GCC unroll 4
    for (auto& block : row) block = vdupq_n_f32(0);
  }
  for (size_t i = 0; i < k; i += kStep) {
    bfloat16x8_t av[kPairs], bv[kPairs];
#pragma GCC unroll 4
    for (int v = 0; v < kPairs; ++v) {
      av[v] = vld1q_bf16(a + v * 8);
      bv[v] = vld1q_bf16(b + v * 8);
    }
    a += kRows * kStep;
    b += kColumns * kStep;
#pragma GCC unroll 4
    for (int r = 0; r < kPairs; ++r) {
#pragma GCC unroll 4
      for (int c = 0; c < kPairs; ++c) {
        acc[r][c] = vbfmmlaq_f32(acc[r][c], av[r], bv[c]);
      }
    }
  }
}

inline float32x4_t Low(float32x4_t a, float32x4_t b) {
  return vcombine_f32(vget_low_f32(a), vget_low_f32(b));
}
inline float32x4_t High(float32x4_t a, float32x4_t b) {
  return vcombine_f32(vget_high_f32(a), vget_high_f32(b));
}

void MultiplyTile(GemmBf16Tile t) {
  float32x4_t acc[kPairs][kPairs];
  Multiply(reinterpret_cast<const bfloat16_t*>(t.a()),
           reinterpret_cast<const bfloat16_t*>(t.b()), t->k, acc);
  for (size_t r = 0; r < t->m; ++r) {
    const float32x4_t(&p)[kPairs] = acc[r / 2];
    const simd::F32 even[2] = {Low(p[0], p[1]), Low(p[2], p[3])};
    const simd::F32 odd[2] = {High(p[0], p[1]), High(p[2], p[3])};
    float* c = t.c() + r * t->c_stride;
    const float* addend =
        t.addend() != nullptr ? t.addend() + r * t->addend_stride : nullptr;
    const auto& sums = r % 2 == 0 ? even : odd;
    if (t->n == kColumns) {
      AddRow(sums, t.bias(), addend, kColumns, t->lower, t->upper, c);
    } else {
      AddRow(sums, t.bias(), addend, t->n, t->lower, t->upper, c);
    }
  }
}

}  // namespace

void gemm_bf16_8x8__bf16(GemmBf16Tile tile) {
  ForEachTile<kRows, kStep>(tile, MultiplyTile);
}

}  // namespace mace::cpu
