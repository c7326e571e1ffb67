// Every matrix-vector micro-kernel for quantized values that this CPU can run,
// against sums in double precision.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "mace/base/fp16.h"
#include "mace/cpu/ukernels/gemv/gemv_table.h"
#include "mace/cpu/ukernels/testing/random_floats.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

constexpr size_t kBlock = 32;

// Rows of random quantized values, of 8 or of 4 bits, and what they mean.
struct Weights {
  Weights(size_t n, size_t k, bool has_blocks) {
    std::mt19937 rng(static_cast<uint32_t>(n * 1000 + k));
    const size_t blocks = (k + kBlock - 1) / kBlock;
    row_bytes = has_blocks ? blocks * kBlock / 2 : k;
    row_scales = has_blocks ? blocks : 1;
    quantized.resize(n * row_bytes);
    for (uint8_t& byte : quantized) byte = static_cast<uint8_t>(rng());
    for (size_t s = 0; s < n * row_scales; ++s) {
      // Every third one is a denormal of fp16.
      const float scale = (s % 3 == 0 ? 3e-6f : 0.02f) * (s % 2 ? 1 : -1);
      fp16.push_back(ToFp16(scale));
      scales.push_back(has_blocks ? FromFp16(fp16.back()) : scale);
    }
    for (size_t r = 0; r < n; ++r) {
      for (size_t i = 0; i < k; ++i) {
        const uint8_t* row = quantized.data() + r * row_bytes;
        const uint8_t byte =
            has_blocks ? row[i / kBlock * 16 + i % 16] : row[i];
        const int half = i % kBlock < 16 ? byte & 15 : byte >> 4;
        const int value = has_blocks ? half - 8 : static_cast<int8_t>(byte);
        const size_t scale = has_blocks ? r * blocks + i / kBlock : r;
        values.push_back(scales[scale] * static_cast<double>(value));
      }
    }
  }
  std::vector<uint8_t> quantized;
  size_t row_bytes, row_scales;
  std::vector<uint16_t> fp16;
  std::vector<float> scales;
  std::vector<double> values;
};

void Check(const GemvQ8& kernel, size_t n, size_t k, bool has_blocks) {
  SCOPED_TRACE(std::string(kernel.name) +
               (has_blocks ? " 4 bits " : " 8 bits ") + std::to_string(n) +
               "x" + std::to_string(k));
  const Weights w(n, k, has_blocks);
  const auto x = RandomFloats(k), bias = RandomFloats(n);
  std::vector<float> y(n + 1, 7);
  const void* scales = w.scales.data();
  if (has_blocks) scales = w.fp16.data();
  GemvQ8Fn* fn = has_blocks ? kernel.bits4 : kernel.bits8;
  fn({n, k, w.quantized.data(), w.row_bytes, scales, w.row_scales, x.data(),
      k % 2 ? bias.data() : nullptr, y.data(), -1, 1});
  for (size_t r = 0; r < n; ++r) {
    double want = k % 2 ? bias[r] : 0, magnitude = 1;
    for (size_t i = 0; i < k; ++i) {
      want += w.values[r * k + i] * x[i];
      magnitude += std::fabs(w.values[r * k + i] * x[i]);
    }
    ASSERT_NEAR(y[r], std::fmin(std::fmax(want, -1), 1), 1e-6 * magnitude);
  }
  EXPECT_EQ(y[n], 7);
}

TEST(GemvQ8, EverySize) {
  for (const GemvQ8& kernel : kGemvQ8) {
    if (!RunsHere(kernel)) continue;
    for (size_t n : {1, 3, 4, 9}) {
      for (size_t k = 1; k <= 100; ++k) {
        Check(kernel, n, k, false);
        Check(kernel, n, k, true);
      }
      Check(kernel, n, 1200, true);  // more scales than are converted at a time
    }
  }
}

}  // namespace
}  // namespace mace::cpu
