// How many work items share a sum, by the device and the grid.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/launch/target.h"

#include <gtest/gtest.h>

namespace mace::opencl {
namespace {

class Teams : public ::testing::Test {
 protected:
  Teams() {
    info_.is_gpu = true;
    info_.compute_units = 4;  // 4096 items
    info_.max_group_size = 1024;
    info_.max_group_sizes[0] = info_.max_group_sizes[1] = 1024;
    info_.max_group_sizes[2] = 64;
    info_.local_bytes = 32 << 10;
  }

  Target Make(int64_t wanted_items = -1) {
    return Target(info_, true, 0, wanted_items, known_weights_);
  }

  DeviceInfo info_;
  KnownWeights known_weights_;
};

TEST_F(Teams, FillTheDevice) {
  EXPECT_EQ(Make().TeamOf({16, 16, 16}, 1000, 9), 1u);
  EXPECT_EQ(Make().TeamOf({16, 16, 15}, 1000, 9), 2u);
  EXPECT_EQ(Make().TeamOf({16, 16, 2}, 1000, 9), 8u);
  EXPECT_TRUE(Make().FillsDevice({16, 16, 2}, 8));
  EXPECT_FALSE(Make().FillsDevice({16, 16, 2}, 4));
  EXPECT_EQ(Make().TeamOf({1, 1, 1}, 1000, 9), 32u);  // the most
}

TEST_F(Teams, HaveEnoughToDo) {
  EXPECT_EQ(Make().TeamOf({1, 1, 1}, 9, 1000), 8u);  // a step each
  EXPECT_EQ(Make().TeamOf({1, 1, 1}, 1, 1000), 1u);
  EXPECT_EQ(Make().TeamOf({1, 1, 1}, 64, 1), 16u);  // four terms each
  EXPECT_EQ(Make().TeamOf({1, 1, 1}, 7, 1), 1u);
}

TEST_F(Teams, ObeyTheDevice) {
  info_.max_group_sizes[2] = 5;
  EXPECT_EQ(Make().TeamOf({1, 1, 1}, 1000, 9), 4u);
  info_.max_group_size = 2;
  EXPECT_EQ(Make().TeamOf({1, 1, 1}, 1000, 9), 2u);
  info_.max_group_size = 1024;
  info_.local_bytes = 128;  // eight sums of one member
  EXPECT_EQ(Make().TeamOf({1, 1, 1}, 1000, 9), 1u);
  info_.local_bytes = 0;
  EXPECT_EQ(Make().TeamOf({1, 1, 1}, 1000, 9), 1u);
}

TEST_F(Teams, AreForGpusUnlessAskedFor) {
  info_.is_gpu = false;
  EXPECT_EQ(Make().TeamOf({1, 1, 1}, 1000, 9), 1u);
  EXPECT_EQ(Make(16).TeamOf({1, 1, 1}, 1000, 9), 16u);
  info_.is_gpu = true;
  EXPECT_EQ(Make(0).TeamOf({1, 1, 1}, 1000, 9), 1u);
  info_.compute_units = 0;  // not reported
  EXPECT_EQ(Make().TeamOf({1, 1, 1}, 1000, 9), 1u);
}

}  // namespace
}  // namespace mace::opencl
