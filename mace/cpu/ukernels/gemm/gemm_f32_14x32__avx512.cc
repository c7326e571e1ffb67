// The 14x32 GEMM tile on AVX-512: 28 of 32 registers accumulate.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_f32_broadcast.h"
#include "mace/cpu/ukernels/gemm/gemm_f32_narrow.h"

namespace mace::cpu {

void gemm_f32_14x32__avx512(GemmF32Tile tile) {
  if ((tile->n - 1) % simd::kLanes < simd::kLanes / 2) {
    return DispatchNarrow<14, 1, 2>(tile);
  }
  DispatchTile<BroadcastLoop, 14, 2>(tile);
}

}  // namespace mace::cpu
