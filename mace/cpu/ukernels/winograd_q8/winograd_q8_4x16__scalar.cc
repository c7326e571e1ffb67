// Winograd's F(4x4, 3x3) for quantized values in plain C++.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/winograd_q8/winograd_q8_transforms.h"

namespace mace::cpu {
namespace {

constexpr size_t kRows = 4, kColumns = 16, kLanes = 8;

void Multiply(const WinogradQ8Gemm& t) {
  for (size_t i = 0; i < t.m; ++i) {
    uint32_t sums[kColumns] = {};
    for (size_t k = 0; k < t.depth; ++k) {
      const int32_t a = t.a[(k / kLanes * kRows + i) * kLanes + k % kLanes];
      for (size_t j = 0; j < kColumns; ++j) {
        sums[j] += static_cast<uint32_t>(a * t.b[k * kColumns + j]);
      }
    }
    for (size_t j = 0; j < kColumns; ++j) {
      t.c[i * kColumns + j] = static_cast<int32_t>(sums[j]);
    }
  }
}

}  // namespace

const WinogradQ8Set winograd_q8_4x16__scalar = {
    TransformTileInput<16>, Multiply, TransformTileOutputs<16, 16>};

}  // namespace mace::cpu
