// The 8x48 GEMM tile on AVX-512: 24 of 32 registers accumulate.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_f32_broadcast.h"

namespace mace::cpu {

void gemm_f32_8x48__avx512(GemmF32Tile tile) {
  DispatchTile<BroadcastLoop, 8, 3>(tile);
}

}  // namespace mace::cpu
