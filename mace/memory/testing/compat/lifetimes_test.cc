// Lifetimes of a few ops, counted by hand.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/testing/compat/lifetimes.h"

#include "gtest/gtest.h"

namespace mace::memory {
namespace {

TEST(LifetimesTest, CountFromScopeOne) {
  // in 0 -> op 0 -> 1 -> op 1 (with constant 2) -> 3, 4; 5 is never used.
  const auto lives = Lifetimes({{{0}, {1}}, {{1, 2, -1}, {3, 4}}}, {0}, {3}, 6);
  const int32_t want[][2] = {{0, 1}, {1, 2}, {-1, 2}, {2, 2}, {2, 2}, {-1, -1}};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(lives[i].first, want[i][0]) << i;
    EXPECT_EQ(lives[i].last, want[i][1]) << i;
  }
  // A value that is written twice lives from the first time on. An output lives
  // to the end.
  const auto again = Lifetimes({{{}, {0}}, {{}, {1}}, {{}, {1}}}, {}, {0}, 2);
  EXPECT_EQ(again[0].last, 3);
  EXPECT_EQ(again[1].first, 2);
  EXPECT_EQ(again[1].last, 3);
}

}  // namespace
}  // namespace mace::memory
