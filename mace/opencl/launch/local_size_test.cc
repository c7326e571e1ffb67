// Group sizes stay within the limits of the device and the kernel.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/launch/local_size.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace mace::opencl {
namespace {

DeviceInfo Info() {
  DeviceInfo info;
  info.max_group_size = 1024;
  info.max_group_sizes[0] = 1024;
  info.max_group_sizes[1] = 1024;
  info.max_group_sizes[2] = 64;
  return info;
}

TEST(LocalSize, CandidatesAreFewDifferentAndAllowed) {
  for (const Grid& grid : {Grid{1, 1, 1}, Grid{3, 112, 112}, Grid{250, 1, 1},
                           Grid{8, 7, 700}, Grid{1, 5000, 1}}) {
    for (const auto& [team, max_items] : {std::pair<size_t, size_t>{1, 1},
                                          {1, 24},
                                          {1, 1024},
                                          {4, 24},
                                          {32, 32},
                                          {32, 1024}}) {
      const auto candidates =
          LocalSizeCandidates(grid, team, max_items, Info());
      ASSERT_FALSE(candidates.empty());
      EXPECT_EQ(candidates[0], ChooseLocalSize(grid, team, max_items, Info()));
      EXPECT_LE(candidates.size(), 20u);
      EXPECT_EQ(std::set<Grid>(candidates.begin(), candidates.end()).size(),
                candidates.size());
      for (const Grid& local : candidates) {
        EXPECT_LE(team * local[0] * local[1] * local[2], max_items);
        EXPECT_LE(team * local[2], 64u);
      }
    }
  }
  EXPECT_GT(LocalSizeCandidates({3, 112, 112}, 1, 256, Info()).size(), 10u);
}

TEST(LocalSize, RoundsUp) {
  EXPECT_EQ(RoundUp({3, 7, 8}, {2, 8, 4}), (Grid{4, 8, 8}));
}

}  // namespace
}  // namespace mace::opencl
