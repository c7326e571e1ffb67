// The 8x8 GEMM tile on armv8: 16 of 32 registers accumulate.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm_f32/gemm_f32_lane.h"

namespace mace::cpu {

void gemm_f32_8x8__aarch64(const GemmF32Tile& tile) {
  DispatchTile<LaneLoop, 8, 2>(tile);
}

}  // namespace mace::cpu
