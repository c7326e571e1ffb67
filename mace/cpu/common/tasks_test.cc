// How work is divided into tasks.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/tasks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace mace::cpu {
namespace {

TEST(EvenBlock, SharesEvenly) {
  EXPECT_EQ(EvenBlock(1, 1, 2), 1);
  EXPECT_EQ(EvenBlock(14, 9, 2), 7) << "two tasks, not seven of unequal number";
  EXPECT_EQ(EvenBlock(56, 28, 2), 7) << "eight tasks rather than two";
  EXPECT_EQ(EvenBlock(5, 100, 1), 5);
}

TEST(EvenBlock, TheBusiestThreadHasHardlyMoreThanItsShare) {
  for (int64_t threads : {1, 2, 3, 8}) {
    for (int64_t items = 1; items < 300; ++items) {
      const int64_t block = EvenBlock(items, 64, threads);
      ASSERT_GE(block, 1);
      ASSERT_LE(block, std::min<int64_t>(items, 64));
      const int64_t tasks = (items + block - 1) / block;
      const int64_t busiest = (tasks + threads - 1) / threads * block;
      const int64_t share = (items + threads - 1) / threads;
      ASSERT_LE(busiest, 1.2 * share + 1) << items << " on " << threads;
    }
  }
}

TEST(RunTasks, LeavesOutWhatIsNotNeeded) {
  constexpr size_t kTasks = 100;
  for (int threads : {1, 2, 4}) {
    for (bool in_order : {false, true}) {
      SCOPED_TRACE(threads);
      auto pool = ThreadPool::Create(threads);
      ASSERT_TRUE(pool.ok());
      MaceCancellation cancellation;
      const Cancellation of_run(cancellation);
      (*pool)->SetCancellation(&of_run);
      std::atomic<size_t> calls{0};
      RunTasks(pool->get(), kTasks, in_order, [&](size_t, size_t) {
        // The first to come cancels, and the others wait for that.
        if (calls++ == 0) cancellation.Cancel();
        while (!cancellation.is_cancelled()) std::this_thread::yield();
      });
      EXPECT_GE(calls, 1u);
      EXPECT_LE(calls, static_cast<size_t>(threads));
      // The next loop that counts is complete.
      (*pool)->SetCancellation(nullptr);
      calls = 0;
      RunTasks(pool->get(), kTasks, in_order, [&](size_t, size_t) { ++calls; });
      EXPECT_EQ(calls, kTasks);
    }
  }
}

}  // namespace
}  // namespace mace::cpu
