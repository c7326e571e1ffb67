// Winograd's F(4x4, 3x3) for quantized values on armv8: 16 of 32 registers
// accumulate.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/winograd_q8/winograd_q8_neon.h"

namespace mace::cpu {
namespace {

void Multiply(const WinogradQ8Gemm& t) {
  if (t.m > 4) return MultiplyRows<8, 8, 1>(t);
  if (t.m > 2) return MultiplyRows<8, 4, 2>(t);
  MultiplyRows<8, 2, 2>(t);
}

}  // namespace

const WinogradQ8Set winograd_q8_8x16__aarch64 = {
    TransformTileInput<16>, Multiply, TransformTileOutputs<16, 16>};

}  // namespace mace::cpu
