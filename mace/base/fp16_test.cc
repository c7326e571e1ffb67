// Every binary16 and bfloat16, there and back.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace mace {
namespace {

constexpr int kAll = 1 << 16;

std::vector<uint16_t> AllBits() {
  std::vector<uint16_t> bits(kAll);
  for (int i = 0; i < kAll; ++i) bits[i] = static_cast<uint16_t>(i);
  return bits;
}

TEST(Half, KnownValues) {
  EXPECT_EQ(FromHalf(0x3c00), 1.0f);
  EXPECT_EQ(FromHalf(0xc000), -2.0f);
  EXPECT_EQ(FromHalf(0x7bff), 65504.0f);
  EXPECT_EQ(FromHalf(0x0001), 0x1p-24f);
  EXPECT_EQ(ToHalf(65520.0f), 0x7c00) << "infinity";
  EXPECT_EQ(ToHalf(1 + 0x1p-11f), 0x3c00) << "a tie goes to even";
  EXPECT_EQ(FromBfloat16(0x3f80), 1.0f);
  EXPECT_EQ(ToBfloat16(1 + 0x1p-8f), 0x3f80) << "a tie goes to even";
}

TEST(Half, WidensArraysLikeSingleHalves) {
  const auto bits = AllBits();
  // Not a multiple of what is widened at a time.
  std::vector<float> halves(kAll - 1), bfloats(kAll - 1);
  WidenHalves(bits.data(), kAll - 1, halves.data());
  WidenBfloat16s(bits.data(), kAll - 1, bfloats.data());
  for (int i = 0; i < kAll - 1; ++i) {
    const float half = FromHalf(bits[i]), bfloat = FromBfloat16(bits[i]);
    ASSERT_EQ(std::memcmp(&half, &halves[i], 4), 0) << i;
    ASSERT_EQ(std::memcmp(&bfloat, &bfloats[i], 4), 0) << i;
  }
}

TEST(Half, NarrowsArraysLikeSingleFloats) {
  std::vector<float> floats;
  for (const uint16_t bits : AllBits()) {
    const float half = FromHalf(bits);
    if (std::isnan(half)) continue;
    // Itself, and what lies between it and its neighbours, ties too.
    for (float step : {0.f, 0.5f, 0.25f, -0.75f}) {
      floats.push_back(half + step * std::fabs(half) * 0x1p-10f);
    }
  }
  const auto n = static_cast<int64_t>(floats.size()) - 1;
  std::vector<uint16_t> halves(n);
  NarrowToHalves(floats.data(), n, halves.data());
  for (int64_t i = 0; i < n; ++i) {
    ASSERT_EQ(halves[i], ToHalf(floats[i])) << floats[i];
  }
}

TEST(Half, NarrowingUndoesWidening) {
  for (const uint16_t bits : AllBits()) {
    if (!std::isnan(FromHalf(bits))) {
      ASSERT_EQ(ToHalf(FromHalf(bits)), bits);
    }
    if (!std::isnan(FromBfloat16(bits))) {
      ASSERT_EQ(ToBfloat16(FromBfloat16(bits)), bits);
    }
  }
}

}  // namespace
}  // namespace mace
