// The 4x8 tile of int8 on NEON, for all filters.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_q8_neon.h"

namespace mace::cpu {

void gemm_q8_4x8_full__neon(GemmI8Tile tile) {
  MultiplyRows</*kAddsPairs=*/false>(tile);
}

}  // namespace mace::cpu
