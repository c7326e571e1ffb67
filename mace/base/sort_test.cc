// StableSort beside std::stable_sort.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace mace {
namespace {

struct Item {
  int8_t key;
  int32_t place;
};

TEST(StableSort, OrdersAsTheStandardOneDoes) {
  std::mt19937 rng(1);
  for (size_t n = 0; n < 300; ++n) {
    std::vector<Item> ours(n);
    for (size_t i = 0; i < n; ++i) {
      ours[i] = {static_cast<int8_t>(rng() % 16), static_cast<int32_t>(i)};
    }
    std::vector<Item> standard = ours;
    const auto less = [](const Item& a, const Item& b) {
      return a.key > b.key;
    };
    StableSort(&ours, less);
    std::stable_sort(standard.begin(), standard.end(), less);
    for (size_t i = 0; i < n; ++i) {
      ASSERT_EQ(ours[i].place, standard[i].place) << n;
    }
  }
}

TEST(StableSort, OrdersNumbers) {
  std::vector<int64_t> values = {3, -1, int64_t{1} << 40, 0, 3};
  StableSort(&values);
  EXPECT_EQ(values, (std::vector<int64_t>{-1, 0, 3, 3, int64_t{1} << 40}));
}

}  // namespace
}  // namespace mace
