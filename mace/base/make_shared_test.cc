// Objects with several owners.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/make_shared.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace mace {
namespace {

struct Noted {
  Noted(std::string name_of_it, int* count_of_ends)
      : name(std::move(name_of_it)), ends(count_of_ends) {}
  ~Noted() { ++*ends; }

  std::string name;
  int* ends;
};

TEST(MakeShared, DestroysTheObjectWithItsLastOwner) {
  int ends = 0;
  std::shared_ptr<Noted> first = MakeShared<Noted>("one", &ends);
  EXPECT_EQ(first->name, "one");
  EXPECT_EQ(first.use_count(), 1);
  const std::weak_ptr<const Noted> watcher = first;
  std::shared_ptr<const void> second = first;
  first.reset();
  EXPECT_EQ(ends, 0);
  EXPECT_FALSE(watcher.expired());
  second.reset();
  EXPECT_EQ(ends, 1);
  EXPECT_TRUE(watcher.expired());
}

TEST(MakeShared, SetsWhatHasNoConstructorToZero) {
  EXPECT_EQ(*MakeShared<int>(), 0);
}

}  // namespace
}  // namespace mace
