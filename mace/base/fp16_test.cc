// Every binary16 and bfloat16, there and back.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/fp16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include "mace/base/denormals.h"

namespace mace {
namespace {

constexpr int kAll = 1 << 16;

std::vector<uint16_t> AllBits() {
  std::vector<uint16_t> bits(kAll);
  for (int i = 0; i < kAll; ++i) bits[i] = static_cast<uint16_t>(i);
  return bits;
}

TEST(Fp16, KnownValues) {
  EXPECT_EQ(FromFp16(0x3c00), 1.0f);
  EXPECT_EQ(FromFp16(0xc000), -2.0f);
  EXPECT_EQ(FromFp16(0x7bff), 65504.0f);
  EXPECT_EQ(FromFp16(0x0001), 0x1p-24f);
  EXPECT_EQ(ToFp16(65520.0f), 0x7c00) << "infinity";
  EXPECT_EQ(ToFp16(1 + 0x1p-11f), 0x3c00) << "a tie goes to even";
  EXPECT_EQ(FromBfloat16(0x3f80), 1.0f);
  EXPECT_EQ(ToBfloat16(1 + 0x1p-8f), 0x3f80) << "a tie goes to even";
}

TEST(Fp16, FitsWhatNeitherOverflowsNorLosesDigits) {
  const auto fits = [](std::vector<float> values) {
    return FitsFp16(values.data(), static_cast<int64_t>(values.size()));
  };
  EXPECT_TRUE(fits({}));
  EXPECT_TRUE(fits({0, -0.f}));
  EXPECT_TRUE(fits({-65519, 1e-9f}));
  EXPECT_TRUE(fits({0x1p-14f, 1e-9f}));
  EXPECT_TRUE(fits({1, INFINITY, NAN})) << "fp16 has these, too";
  EXPECT_FALSE(fits({1, -65520}));
  EXPECT_FALSE(fits({0, 0x1p-15f}));
  EXPECT_FALSE(fits({INFINITY, 0x1p-15f}));
}

TEST(Fp16, WidensArraysLikeSingleFp16) {
  const auto bits = AllBits();
  // Not a multiple of what is widened at a time.
  std::vector<float> fp16(kAll - 1), bfloats(kAll - 1);
  WidenFp16(bits.data(), kAll - 1, fp16.data());
  WidenBfloat16s(bits.data(), kAll - 1, bfloats.data());
  for (int i = 0; i < kAll - 1; ++i) {
    const float half = FromFp16(bits[i]), bfloat = FromBfloat16(bits[i]);
    ASSERT_EQ(std::memcmp(&half, &fp16[i], 4), 0) << i;
    ASSERT_EQ(std::memcmp(&bfloat, &bfloats[i], 4), 0) << i;
  }
}

TEST(Fp16, NarrowsArraysLikeSingleFloats) {
  std::vector<float> floats;
  for (const uint16_t bits : AllBits()) {
    const float half = FromFp16(bits);
    if (std::isnan(half)) continue;
    // Itself, and what lies between it and its neighbours, ties too.
    for (float step : {0.f, 0.5f, 0.25f, -0.75f}) {
      floats.push_back(half + step * std::fabs(half) * 0x1p-10f);
    }
  }
  const auto n = static_cast<int64_t>(floats.size()) - 1;
  std::vector<uint16_t> fp16(n);
  NarrowToFp16(floats.data(), n, fp16.data());
  for (int64_t i = 0; i < n; ++i) {
    ASSERT_EQ(fp16[i], ToFp16(floats[i])) << floats[i];
  }
}

// By the definition of binary16.
double ValueOf(uint16_t bits) {
  const int exponent = bits >> 10 & 31, digits = bits & 0x3ff;
  double value = exponent == 0 ? std::ldexp(digits, -24)
                               : std::ldexp(digits + 1024, exponent - 25);
  if (exponent == 31) value = digits == 0 ? INFINITY : NAN;
  return bits & 0x8000 ? -value : value;
}

// In arrays of one element, and in others, whose last elements are converted
// one by one.
TEST(Fp16, KeepsDenormalsOnThreadsThatFlushThem) {
  const auto bits = AllBits();
  std::vector<float> one(kAll), array(kAll - 1), singles(kAll);
  std::vector<uint16_t> back(kAll), narrowed(kAll - 1), bfloats(kAll);
  std::thread([&] {
    const DenormalsOff denormals_off;
    WidenFp16(bits.data(), kAll - 1, array.data());
    NarrowToFp16(array.data(), kAll - 1, narrowed.data());
    for (int i = 0; i < kAll; ++i) {
      WidenFp16(&bits[i], 1, &singles[i]);
      one[i] = FromFp16(bits[i]);
      back[i] = ToFp16(one[i]);
      bfloats[i] = ToBfloat16(FromBfloat16(bits[i]));
    }
  }).join();
  for (int i = 0; i < kAll; ++i) {
    const double want = ValueOf(bits[i]);
    if ((i & 0x7fff) <= 0x7f80) {
      ASSERT_EQ(bfloats[i], i);
    }
    if (std::isnan(want)) continue;
    ASSERT_EQ(one[i], want) << i;
    ASSERT_EQ(singles[i], want) << i;
    ASSERT_EQ(back[i], i);
    if (i == kAll - 1) continue;
    ASSERT_EQ(array[i], want) << i;
    ASSERT_EQ(narrowed[i], i);
  }
}

TEST(Fp16, NarrowingUndoesWidening) {
  for (const uint16_t bits : AllBits()) {
    if (!std::isnan(FromFp16(bits))) {
      ASSERT_EQ(ToFp16(FromFp16(bits)), bits);
    }
    if (!std::isnan(FromBfloat16(bits))) {
      ASSERT_EQ(ToBfloat16(FromBfloat16(bits)), bits);
    }
  }
}

}  // namespace
}  // namespace mace
