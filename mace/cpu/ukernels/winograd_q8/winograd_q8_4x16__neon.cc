// Winograd's F(4x4, 3x3) for quantized values on NEON of armv7 and armv8.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/winograd_q8/winograd_q8_neon.h"

namespace mace::cpu {
namespace {

void Multiply(const WinogradQ8Gemm& t) {
  if (t.m > 2) return MultiplyRows<4, 4, 1>(t);
  MultiplyRows<4, 2, 1>(t);
}

}  // namespace

const WinogradQ8Set winograd_q8_4x16__neon = {TransformTileInput<16>, Multiply,
                                              TransformTileOutputs<16, 16>};

}  // namespace mace::cpu
