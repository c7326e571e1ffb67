// Every micro-kernel that quantize and dequantize that this CPU can run,
// against the standard library's rounding.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "mace/cpu/ukernels/quantize_q8/quantize_q8_table.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

// Ties, their neighbours, the ends, what no value stands for, and random ones.
std::vector<float> Numbers(float scale) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  std::vector<float> x = {0,     -0.0f,  kInf,   -kInf,         NAN,
                          1e30f, -1e30f, 1e-40f, 131072 * scale};
  for (int k = -300; k <= 300; ++k) {
    const float tie = (static_cast<float>(k) + 0.5f) * scale;
    x.insert(x.end(),
             {tie, std::nextafter(tie, kInf), std::nextafter(tie, -kInf),
              static_cast<float>(k) * scale});
  }
  std::mt19937 rng(1);
  std::uniform_real_distribution<float> any(-400 * scale, 400 * scale);
  for (int i = 0; i < 2000; ++i) x.push_back(any(rng));
  return x;
}

int Wanted(float x, const QuantizeQ8Args& t) {
  const float units = x / t.scale;
  const float q = (t.ties_to_even ? std::nearbyint(units) : std::round(units)) +
                  static_cast<float>(t.zero_point);
  if (!(q > static_cast<float>(t.least))) return t.least;
  if (q >= static_cast<float>(t.most)) return t.most;
  return static_cast<int>(q);
}

TEST(QuantizeQ8, EveryTie) {
  for (const QuantizeQ8& kernel : kQuantizeQ8) {
    if (!RunsHere(kernel)) continue;
    // With mantissas of ones, and beyond what is divided by multiplications.
    for (float scale :
         {1.0f, 0.0078125f, 0.1f, 3e-6f, 0x1.fffffep-7f, 0x1.000002p-7f,
          0.0235294f, 7e-18f, 4e17f, 2e-20f, 3e20f}) {
      const std::vector<float> x = Numbers(scale);
      std::vector<uint8_t> quantized(x.size() + 1, 77);
      for (int variant = 0; variant < 8; ++variant) {
        const bool is_signed = variant % 2 != 0;
        const int32_t least = is_signed ? -128 : 0, most = least + 255;
        const int32_t zero = variant / 2 % 2 == 0 ? least + 100 : most;
        const QuantizeQ8Args args = {x.size(),    x.data(),        scale,
                                     zero,        least,           most,
                                     variant > 3, quantized.data()};
        kernel.quantize(args);
        for (size_t i = 0; i < x.size(); ++i) {
          ASSERT_EQ(quantized[i], static_cast<uint8_t>(Wanted(x[i], args)))
              << kernel.name << " " << x[i] << " / " << scale << " " << variant;
        }
        EXPECT_EQ(quantized[x.size()], 77);
      }
    }
  }
}

TEST(QuantizeQ8, EveryValueBack) {
  std::vector<uint8_t> quantized(256);
  for (int i = 0; i < 256; ++i) quantized[i] = static_cast<uint8_t>(i);
  for (const QuantizeQ8& kernel : kQuantizeQ8) {
    if (!RunsHere(kernel)) continue;
    for (bool is_signed : {false, true}) {
      for (size_t n = 0; n <= 256; ++n) {
        std::vector<float> y(n + 1, 7);
        kernel.dequantize({n, quantized.data(), is_signed, 0.3f, -5, y.data()});
        for (size_t i = 0; i < n; ++i) {
          const int q =
              is_signed ? static_cast<int8_t>(i) : static_cast<int>(i);
          ASSERT_EQ(y[i], 0.3f * static_cast<float>(q + 5)) << kernel.name;
        }
        ASSERT_EQ(y[n], 7);
      }
    }
  }
}

}  // namespace
}  // namespace mace::cpu
