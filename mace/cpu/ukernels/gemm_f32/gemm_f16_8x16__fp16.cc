// The 8x16 GEMM tile of binary16 on armv8.2: 16 of 32 registers accumulate.
// SPDX-License-Identifier: Apache-2.0

#include <arm_neon.h>

#include "mace/cpu/ukernels/gemm_f32/gemm_half.h"
#include "mace/cpu/ukernels/gemm_f32/gemm_half_arm.h"

namespace mace::cpu {
namespace {

constexpr size_t kMaxRows = 8, kColumns = 16;
constexpr size_t kStep = 8;  // k of a row that lie side by side

// Lane kLane of each row's eight elements against a row of b, and so on.
template <int kLane, int kRows>
inline void MultiplyLanes(const float16x8_t* a, const float16_t* b,
                          float16x8_t (&acc)[kRows][2]) {
  const float16x8_t b0 = vld1q_f16(b), b1 = vld1q_f16(b + 8);
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    acc[r][0] = vfmaq_laneq_f16(acc[r][0], b0, a[r], kLane);
    acc[r][1] = vfmaq_laneq_f16(acc[r][1], b1, a[r], kLane);
  }
  if constexpr (kLane + 1 < static_cast<int>(kStep)) {
    MultiplyLanes<kLane + 1>(a, b + kColumns, acc);
  }
}

// acc = a * b over k in one block.
template <int kRows>
inline void MultiplyBlock(const float16_t* a, const float16_t* b, size_t k,
                          float16x8_t (&acc)[kRows][2]) {
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) acc[r][0] = acc[r][1] = vdupq_n_f16(0);
  for (; k >= kStep; k -= kStep, a += kRows * kStep, b += kColumns * kStep) {
    float16x8_t av[kRows];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) av[r] = vld1q_f16(a + r * kStep);
    MultiplyLanes<0>(av, b, acc);
  }
  for (size_t i = 0; i < k; ++i, b += kColumns) {
    const float16x8_t b0 = vld1q_f16(b), b1 = vld1q_f16(b + 8);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const float16x8_t av = vld1q_dup_f16(a + r * kStep + i);
      acc[r][0] = vfmaq_f16(acc[r][0], b0, av);
      acc[r][1] = vfmaq_f16(acc[r][1], b1, av);
    }
  }
}

template <int kRows>
void Multiply(const GemmF32Tile& t) {
  const auto* a = reinterpret_cast<const float16_t*>(t.a);
  const auto* b = reinterpret_cast<const float16_t*>(t.b);
  for (size_t k = 0; k < t.k; k += kF16Block) {
    const size_t depth = t.k - k < kF16Block ? t.k - k : kF16Block;
    float16x8_t acc[kRows][2];
    MultiplyBlock(a + k * kRows, b + k * kColumns, depth, acc);
    const bool last = k + depth == t.k;
    const float lower = last ? t.lower : -__builtin_inff();
    const float upper = last ? t.upper : __builtin_inff();
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      float* c = t.c + r * t.c_stride;
      const simd::F32 sums[4] = {
          vcvt_f32_f16(vget_low_f16(acc[r][0])), vcvt_high_f32_f16(acc[r][0]),
          vcvt_f32_f16(vget_low_f16(acc[r][1])), vcvt_high_f32_f16(acc[r][1])};
      const float* start = k > 0 || t.accumulate ? c : t.bias;
      if (t.n == kColumns) {
        AddRow(sums, start, kColumns, lower, upper, c);
      } else {
        AddRow(sums, start, t.n, lower, upper, c);
      }
    }
  }
}

// The instance with exactly t.m rows.
template <int kRows>
void Dispatch(const GemmF32Tile& t) {
  if constexpr (kRows > 1) {
    if (t.m < kRows) return Dispatch<kRows - 1>(t);
  }
  Multiply<kRows>(t);
}

}  // namespace

void gemm_f16_8x16__fp16(const GemmF32Tile& tile) {
  GemmF32Tile t = tile;
  const size_t tile_floats =
      (tile.k + kStep - 1) / kStep * kStep * kMaxRows / 2;
  for (size_t left = tile.m; left > 0; left -= t.m) {
    t.m = left < kMaxRows ? left : kMaxRows;
    Dispatch<kMaxRows>(t);
    t.a += tile_floats;
    t.c += kMaxRows * t.c_stride;
  }
}

}  // namespace mace::cpu
