// Every micro-kernel that dequantizes values, against the definition.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "mace/cpu/ukernels/quantize_q8/quantize_q8_table.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

std::vector<uint8_t> RandomBytes(size_t n) {
  std::mt19937 rng(1);
  std::vector<uint8_t> bytes(n);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng());
  return bytes;
}

TEST(DequantizeRowsQ8, EverySize) {
  const std::vector<uint8_t> quantized = RandomBytes(256);
  const std::vector<float> scales = {0.5f, 1e-3f, 3, -0.25f};
  for (const DequantizeRowsQ8& kernel : kDequantizeRowsQ8) {
    if (!RunsHere(kernel)) continue;
    for (size_t n = 1; n <= 100; ++n) {
      SCOPED_TRACE(std::string(kernel.name) + " " + std::to_string(n));
      std::vector<float> of8(n + 1, 7), of4(n + 1, 7);
      kernel.bits8({n, quantized.data(), scales.data(), of8.data()});
      kernel.bits4({n, quantized.data(), scales.data(), of4.data()});
      for (size_t i = 0; i < n; ++i) {
        ASSERT_EQ(of8[i], 0.5f * static_cast<int8_t>(quantized[i]));
        const uint8_t pair = quantized[i / 32 * 16 + i % 16];
        const int value = i % 32 < 16 ? pair & 15 : pair >> 4;
        ASSERT_EQ(of4[i], scales[i / 32] * static_cast<float>(value - 8));
      }
      EXPECT_EQ(of8[n], 7);
      EXPECT_EQ(of4[n], 7);
    }
  }
}

}  // namespace
}  // namespace mace::cpu
