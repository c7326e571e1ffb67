// Every fp16 value in plain C++, on a thread that flushes denormals.
// SPDX-License-Identifier: Apache-2.0

#define MACE_SIMD_SCALAR  // on every CPU
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include "mace/base/denormals.h"
#include "mace/cpu/simd/f16.h"

namespace mace::simd {
namespace {

constexpr uint32_t kAll = 1 << 16;

// By the definition of binary16.
double ValueOf(uint32_t bits) {
  const int exponent = bits >> 10 & 31;
  const auto digits = static_cast<int>(bits & 0x3ff);
  double value = exponent == 0 ? std::ldexp(digits, -24)
                               : std::ldexp(digits + 1024, exponent - 25);
  if (exponent == 31) value = digits == 0 ? INFINITY : NAN;
  return bits & 0x8000 ? -value : value;
}

TEST(F16Scalar, LoadsAndStoresAllValuesWhereDenormalsAreFlushed) {
  std::vector<float> loaded(kAll);
  std::vector<uint16_t> stored(kAll), summed(kAll);
  std::thread([&] {
    const DenormalsOff denormals_off;
    for (uint32_t i = 0; i < kAll; ++i) {
      const auto bits = static_cast<uint16_t>(i);
      const F16 x = Load(&bits);
      loaded[i] = x.value;
      Store(&stored[i], x);
      Store(&summed[i], MulAdd(x, SetFp16(1), SetFp16(-0.f)));
    }
  }).join();
  for (uint32_t i = 0; i < kAll; ++i) {
    const double want = ValueOf(i);
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(loaded[i])) << i;
      ASSERT_EQ(stored[i], (i & 0x8000) | 0x7e00) << i;
      continue;
    }
    ASSERT_EQ(loaded[i], want) << i;
    ASSERT_EQ(std::signbit(loaded[i]), std::signbit(want)) << i;
    ASSERT_EQ(stored[i], i);
    ASSERT_EQ(summed[i], i);
  }
}

}  // namespace
}  // namespace mace::simd
