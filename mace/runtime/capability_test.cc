// What GetCapability says of devices that exist, and of those that do not.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "mace/public/mace.h"
#include "mace/public/mace_capability.h"

namespace mace {
namespace {

constexpr float kNever = std::numeric_limits<float>::infinity();

std::vector<std::string> messages;

TEST(GetCapability, TheCpuTakesSomeTime) {
  const Capability cpu = GetCapability(CPU);
  EXPECT_TRUE(cpu.supported);
  EXPECT_GT(cpu.float32_performance.exec_time, 0);
  EXPECT_LT(cpu.float32_performance.exec_time, kNever);
  EXPECT_EQ(cpu.quantized8_performance.exec_time, kNever);
}

// The argument divides the time: other values by so much give other results.
TEST(GetCapability, TimesAreRelativeToTheOneGiven) {
  constexpr float kScale = 1e6f;  // more than times of one machine differ
  const float millis = GetCapability(CPU).float32_performance.exec_time;
  const float less = GetCapability(CPU, kScale).float32_performance.exec_time;
  EXPECT_GT(less, 0);
  EXPECT_LT(less, millis);
  for (float no_time : {0.f, -1.f, NAN}) {
    const float time =
        GetCapability(CPU, no_time).float32_performance.exec_time;
    EXPECT_GT(time, less);
    EXPECT_LT(time, kNever);
  }
}

TEST(GetCapability, DevicesThatDoNotExist) {
  messages.clear();
  SetLogCallback(
      [](MaceLogLevel, const char* text, void*) { messages.push_back(text); },
      nullptr);
  for (int type : {static_cast<int>(HEXAGON), 1}) {
    const Capability none = GetCapability(static_cast<DeviceType>(type));
    EXPECT_FALSE(none.supported);
    EXPECT_EQ(none.float32_performance.exec_time, kNever);
    EXPECT_EQ(none.quantized8_performance.exec_time, kNever);
  }
  SetLogCallback(nullptr, nullptr);
  // It asked; nothing is taken over by the CPU.
  EXPECT_EQ(messages, std::vector<std::string>());
}

}  // namespace
}  // namespace mace
