// Copies on devices are shared while they live, and are freed with their users.
// SPDX-License-Identifier: Apache-2.0

#include "mace/device/device_weights.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace mace {
namespace {

using Copy = DeviceWeights::Copy;
using Upload = DeviceWeights::Upload;

// Two memories of devices.
const int kHere = 0, kThere = 0;

class DeviceWeightsTest : public ::testing::Test {
 protected:
  // 100 bytes in `memory`; `uploads_` counts.
  Copy Get(const void* memory, const std::string& name) {
    auto copy = weights_.GetOrUpload(memory, name, [&]() -> Result<Upload> {
      ++uploads_;
      return Upload{std::make_shared<std::string>(name), 100};
    });
    EXPECT_TRUE(copy.ok());
    return *copy;
  }

  DeviceWeights weights_;
  int uploads_ = 0;
};

TEST_F(DeviceWeightsTest, SharesWhatHasTheSameNameInTheSameMemory) {
  const Copy a = Get(&kHere, "filter");
  EXPECT_EQ(Get(&kHere, "filter"), a);
  EXPECT_EQ(uploads_, 1);
  const Copy b = Get(&kHere, "bias");
  const Copy c = Get(&kThere, "filter");
  EXPECT_NE(c, a);
  EXPECT_EQ(uploads_, 3);
  EXPECT_EQ(weights_.total_bytes(), 300);
  EXPECT_EQ(weights_.count(), 3);
}

TEST_F(DeviceWeightsTest, MakesWhatHasNoNameEachTime) {
  const Copy a = Get(&kHere, "");
  const Copy b = Get(&kHere, "");
  EXPECT_NE(a, b);
  EXPECT_EQ(uploads_, 2);
  EXPECT_EQ(weights_.total_bytes(), 200);
}

TEST_F(DeviceWeightsTest, FreesACopyWithItsLastUser) {
  Copy first = Get(&kHere, "filter");
  Copy second = Get(&kHere, "filter");
  Copy nameless = Get(&kHere, "");
  const std::weak_ptr<const void> copy = first;
  first.reset();
  EXPECT_EQ(weights_.count(), 2);
  EXPECT_FALSE(copy.expired());
  second.reset();
  nameless.reset();
  EXPECT_TRUE(copy.expired());
  EXPECT_EQ(weights_.total_bytes(), 0);
  EXPECT_EQ(weights_.count(), 0);
  // Another one is made then.
  const Copy again = Get(&kHere, "filter");
  EXPECT_EQ(uploads_, 3);
}

TEST_F(DeviceWeightsTest, KeepsNothingOfAnUploadThatFails) {
  const auto failed = weights_.GetOrUpload(
      &kHere, "filter",
      []() -> Result<Upload> { return OutOfResources("no memory is left"); });
  EXPECT_EQ(failed.status(), Status::MACE_OUT_OF_RESOURCES);
  EXPECT_EQ(weights_.count(), 0);
  const Copy copy = Get(&kHere, "filter");
  EXPECT_EQ(uploads_, 1);
}

TEST_F(DeviceWeightsTest, UploadsOnceForManyThreads) {
  constexpr int kThreads = 8, kNames = 50;
  std::vector<std::vector<Copy>> copies(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int n = 0; n < kNames; ++n) {
        copies[t].push_back(Get(&kHere, "weight " + std::to_string(n)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(uploads_, kNames);
  for (const auto& of_thread : copies) EXPECT_EQ(of_thread, copies[0]);
  EXPECT_EQ(weights_.total_bytes(), 100 * kNames);
}

}  // namespace
}  // namespace mace
