// Winograd's F(4x4, 3x3) for quantized values on AVX-VNNI.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/winograd_q8/winograd_q8_pairs.h"

namespace mace::cpu {
namespace {

struct AvxVnni : Vector256 {
  static Type Add(Type sum, Type a, Type b) {
    return _mm256_dpwssd_avx_epi32(sum, a, b);
  }
};

}  // namespace

const WinogradQ8Set winograd_q8_6x16__avxvnni = {TransformTileInput<32>,
                                                 MultiplySixRows<AvxVnni>,
                                                 TransformTileOutputs<32, 16>};

}  // namespace mace::cpu
