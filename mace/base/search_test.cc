// Searches of lists, of which some are empty.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/search.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace mace {
namespace {

const std::vector<int> kNone;
const std::vector<int> kSome = {3, 4, 5, 4};

bool IsEven(int x) { return x % 2 == 0; }

TEST(Search, FindsTheFirst) {
  EXPECT_EQ(FindIf(kSome, IsEven) - kSome.begin(), 1);
  EXPECT_EQ(FindIf(kNone, IsEven), kNone.end());
  std::vector<int> list = kSome;
  *FindIf(list, IsEven) = 7;
  EXPECT_EQ(list, (std::vector<int>{3, 7, 5, 4}));
  EXPECT_EQ(FindIf(list, [](int x) { return x > 7; }), list.end());
}

TEST(Search, SaysWhetherAnyAllOrOneIs) {
  EXPECT_TRUE(AnyOf(kSome, IsEven));
  EXPECT_FALSE(AllOf(kSome, IsEven));
  EXPECT_TRUE(AllOf(kSome, [](int x) { return x > 2; }));
  EXPECT_FALSE(AnyOf(kNone, IsEven));
  EXPECT_TRUE(AllOf(kNone, IsEven));
  EXPECT_TRUE(Contains(kSome, 5));
  EXPECT_FALSE(Contains(kSome, 6));
  EXPECT_FALSE(Contains(kNone, 0));
  EXPECT_TRUE(Contains(std::vector<std::string>{"a", "b"}, "b"));
}

TEST(Search, TakesMapsAndBits) {
  const std::map<int, int> squares = {{2, 4}, {3, 9}};
  EXPECT_TRUE(AnyOf(squares, [](const auto& one) { return one.second == 9; }));
  EXPECT_TRUE(Contains(std::vector<bool>{false, true}, true));
}

}  // namespace
}  // namespace mace
