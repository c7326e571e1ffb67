// The 4x8 GEMM tile on NEON: 8 of 16 registers accumulate.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_f32_lane.h"

namespace mace::cpu {

void gemm_f32_4x8__neon(GemmF32Tile tile) {
  DispatchTile<LaneLoop, 4, 2>(tile);
}

}  // namespace mace::cpu
