// The 6x16 GEMM tile on AVX2: 12 of 16 registers accumulate.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_f32_broadcast.h"

namespace mace::cpu {

void gemm_f32_6x16__avx2(GemmF32Tile tile) {
  DispatchTile<BroadcastLoop, 6, 2>(tile);
}

}  // namespace mace::cpu
