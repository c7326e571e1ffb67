// The 4x4 GEMM tile without vectors.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_f32_broadcast.h"

namespace mace::cpu {

void gemm_f32_4x4__scalar(GemmF32Tile tile) {
  DispatchTile<BroadcastLoop, 4, 4>(tile);
}

}  // namespace mace::cpu
