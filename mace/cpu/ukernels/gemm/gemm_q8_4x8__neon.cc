// The 4x8 tile of int8 on NEON: pairs of products are added in 16 bits, then
// in 32.
// SPDX-License-Identifier: Apache-2.0
//
// Two products of quantized values fit in 16 bits unless all four are -128:
// this is why elements of b must be at least -127.

#include "mace/cpu/ukernels/gemm/gemm_q8_neon.h"

namespace mace::cpu {

void gemm_q8_4x8__neon(GemmI8Tile tile) {
  MultiplyRows</*kAddsPairs=*/true>(tile);
}

void gemm_q8_pack_4__neon(const GemmRuns& rows, void* to) {
  PackPairs(rows, to);
}

}  // namespace mace::cpu
