// When a search must stop, and that time is checked now and then.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/problem/search_budget.h"

#include <atomic>

#include "gtest/gtest.h"

namespace mace::memory {
namespace {

TEST(SearchBudgetTest, CountsItsNodes) {
  Options options;
  options.max_nodes = 3;
  SearchBudget budget(options);
  EXPECT_FALSE(budget.spent());
  EXPECT_TRUE(budget.Spend());
  EXPECT_TRUE(budget.Spend());
  EXPECT_FALSE(budget.Spend());
  EXPECT_TRUE(budget.spent());
  EXPECT_FALSE(budget.Spend()) << "and from then on";
  EXPECT_EQ(budget.nodes(), 4);
  EXPECT_FALSE(budget.out_of_time()) << "spent, but not by time";
}

TEST(SearchBudgetTest, WithoutLimitsThereIsNoEnd) {
  Options options;
  options.max_nodes = 0;
  SearchBudget budget(options);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(budget.Spend());
  EXPECT_FALSE(budget.spent());
}

TEST(SearchBudgetTest, ItsCallerCanEndIt) {
  std::atomic<bool> cancel = false;
  Options options;
  options.cancel = &cancel;
  SearchBudget budget(options);
  EXPECT_FALSE(budget.spent());
  EXPECT_TRUE(budget.Spend());
  cancel = true;
  // The budget checks at every sixteenth node only.
  int more = 0;
  while (budget.Spend()) ++more;
  EXPECT_EQ(more, 14);
  EXPECT_TRUE(budget.out_of_time());
  cancel = false;
  EXPECT_TRUE(budget.spent()) << "it stays spent";
  SearchBudget again(options);
  cancel = true;
  EXPECT_TRUE(again.spent()) << "without a node";
  SearchBudget asked(options);
  EXPECT_TRUE(asked.out_of_time());
}

TEST(SearchBudgetTest, TimeEndsIt) {
  Options options;
  options.max_nodes = 0;
  options.budget_us = 1;
  SearchBudget budget(options);
  int64_t nodes = 0;
  while (budget.Spend()) ++nodes;  // until the time is over
  EXPECT_EQ(nodes % 16, 15);
  EXPECT_TRUE(budget.out_of_time());
  options.budget_us = int64_t{1} << 40;  // two weeks
  SearchBudget longer(options);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(longer.Spend());
  EXPECT_FALSE(longer.out_of_time());
}

}  // namespace
}  // namespace mace::memory
