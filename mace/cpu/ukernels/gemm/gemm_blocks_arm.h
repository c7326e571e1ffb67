// What the 4x8 tiles of int8 times blocks share on Arm.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_BLOCKS_ARM_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_BLOCKS_ARM_H_

#include <arm_neon.h>

#include "mace/cpu/ukernels/gemm/gemm_blocks.h"
#include "mace/cpu/ukernels/gemm/gemm_packed_tiles.h"

namespace mace::cpu {
namespace {

constexpr int kBlockRows = 4;
constexpr size_t kBlockColumns = 8;

inline float32x4_t Floats(const Fp16* fp16) {
  return vcvt_f32_f16(
      vreinterpret_f16_u16(vld1_u16(reinterpret_cast<const uint16_t*>(fp16))));
}

// Completes row i, whose sums are those of columns 0 to 3 and 4 to 7.
inline void Finish(const GemmTile& t, int i, float scale, float32x4_t first,
                   float32x4_t second) {
  float sums[kBlockColumns];
  vst1q_f32(sums, vmulq_n_f32(first, scale));
  vst1q_f32(sums + 4, vmulq_n_f32(second, scale));
  float* c = static_cast<float*>(t.c) + i * t.c_stride;
  const auto* bias = static_cast<const float*>(t.bias);
  const auto* addend = static_cast<const float*>(t.addend);
  for (size_t j = 0; j < t.n; ++j) {
    float sum = sums[j];
    if (bias != nullptr) sum += bias[j];
    if (addend != nullptr) {
      sum += addend[i * t.addend_stride + static_cast<ptrdiff_t>(j)];
    }
    sum = sum < t.lower ? t.lower : sum;
    c[j] = sum > t.upper ? t.upper : sum;
  }
}

// Calls `Tile`::Run<B, M>(t) for each tile, with M as its rows.
template <typename Tile, typename B, int M>
void RunTile(GemmBlocksTile<B> t) {
  if constexpr (M > 1) {
    if (static_cast<int>(t->m) < M) return RunTile<Tile, B, M - 1>(t);
  }
  Tile::template Run<B, M>(t);
}
template <typename Tile, typename B>
inline void MultiplyBlocks(GemmBlocksTile<B> tile) {
  ForEachTile<kBlockRows, 1, kGemmBlock>(tile, RunTile<Tile, B, kBlockRows>);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_BLOCKS_ARM_H_
