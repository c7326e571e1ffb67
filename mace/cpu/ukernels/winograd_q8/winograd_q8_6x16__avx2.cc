// Winograd's F(4x4, 3x3) for quantized values on AVX2: pairs of products of 16
// bits are added in 32.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/winograd_q8/winograd_q8_pairs.h"

namespace mace::cpu {
namespace {

struct Avx2 : Vector256 {
  static Type Add(Type sum, Type a, Type b) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
  }
};

}  // namespace

const WinogradQ8Set winograd_q8_6x16__avx2 = {TransformTileInput<32>,
                                              MultiplySixRows<Avx2>,
                                              TransformTileOutputs<32, 16>};

}  // namespace mace::cpu
