// OrderBeam: with all states it finds the least peak, with few states a valid
// order.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/memory/order_beam.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "mace/plan/testing/order_problems.h"

namespace mace {
namespace {

using testing::OrderDefinitions;
using testing::Random;
using testing::RandomOrderProblem;

constexpr int64_t kMuch = 1'000'000'000;
constexpr size_t kAll = 1 << 14;  // states

OrderSegment Whole(const OrderProblem& p) {
  return {0, static_cast<int>(p.num_steps())};
}

void ExpectPossible(const OrderDefinitions& definitions,
                    const std::vector<int>& order) {
  ASSERT_EQ(order.size(), definitions.p.num_steps());
  std::vector<bool> done(order.size());
  for (int step : order) {
    ASSERT_TRUE(definitions.MayRun(done, step));
    done[step] = true;
  }
}

TEST(OrderBeam, AllStatesFindTheLeast) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const OrderProblem p = RandomOrderProblem(random.Between(1, 10),
                                              random.Between(2, 12), &random);
    const OrderDefinitions definitions(p);
    const OrderGraph graph(p);
    const int64_t least = definitions.LeastPeak();
    WorkBudget budget(kMuch);
    OrderBeam beam(graph, Whole(p), 0, 0);
    const OrderBeam::Answer any = beam.Search(kAll, least + 1, &budget);
    EXPECT_TRUE(any.complete);
    EXPECT_EQ(any.peak, least);
    ExpectPossible(definitions, any.order);
    EXPECT_EQ(definitions.PeakOf(any.order), least);
    // No order is below it, and the search proves it.
    const OrderBeam::Answer none = beam.Search(kAll, least, &budget);
    EXPECT_TRUE(none.complete);
    EXPECT_TRUE(none.order.empty());
    EXPECT_EQ(none.peak, 0);
  }
}

TEST(OrderBeam, FewStatesFindSomeOrder) {
  int least_found = 0, complete = 0, none = 0;
  for (uint32_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const OrderProblem p = RandomOrderProblem(random.Between(1, 10),
                                              random.Between(2, 12), &random);
    const OrderDefinitions definitions(p);
    const OrderGraph graph(p);
    const int64_t least = definitions.LeastPeak();
    const size_t width = 1 + seed % 3;
    WorkBudget budget(kMuch);
    OrderBeam beam(graph, Whole(p), 0, 0);
    const OrderBeam::Answer free = beam.Search(width, kMuch, &budget);
    ExpectPossible(definitions, free.order);
    EXPECT_EQ(definitions.PeakOf(free.order), free.peak);
    EXPECT_GE(free.peak, least);
    EXPECT_TRUE(!free.complete || free.peak == least);
    least_found += free.peak == least;
    complete += free.complete;
    const int64_t limit = least + random.Below(20);
    const OrderBeam::Answer below = beam.Search(width, limit, &budget);
    if (below.order.empty()) {
      EXPECT_TRUE(!below.complete || limit <= least);
      ++none;
    } else {
      EXPECT_LT(below.peak, limit);
      EXPECT_EQ(definitions.PeakOf(below.order), below.peak);
    }
  }
  EXPECT_GT(least_found, 300);
  EXPECT_GT(complete, 50);
  EXPECT_GT(none, 30);
}

// Peaks up to the floor are equally good. Bytes that are live before the
// segment count in each of its steps.
TEST(OrderBeam, FloorAndWhatLivesBefore) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const OrderProblem p = RandomOrderProblem(random.Between(1, 9), 8, &random);
    const OrderDefinitions definitions(p);
    const OrderGraph graph(p);
    const int64_t least = definitions.LeastPeak();
    const int64_t live = random.Below(50);
    const int64_t floor = least + live + random.Between(-60, 60);
    WorkBudget budget(kMuch);
    OrderBeam beam(graph, Whole(p), live, floor);
    const OrderBeam::Answer found = beam.Search(kAll, kMuch, &budget);
    EXPECT_EQ(found.peak, definitions.PeakOf(found.order) + live);
    EXPECT_EQ(std::max(found.peak, floor), std::max(least + live, floor));
  }
}

// A segment in the middle, whose values are used by steps before and after it.
TEST(OrderBeam, SegmentInTheMiddle) {
  int searched = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const OrderProblem p = RandomOrderProblem(random.Between(3, 16),
                                              random.Between(2, 5), &random);
    const OrderDefinitions definitions(p);
    const OrderGraph graph(p);
    for (const OrderSegment& segment : Segments(graph)) {
      std::vector<bool> before(p.num_steps());
      for (int s = 0; s < segment.begin; ++s) before[s] = true;
      const int64_t live = definitions.Live(before);
      WorkBudget budget(kMuch);
      OrderBeam beam(graph, segment, live, 0);
      const OrderBeam::Answer found = beam.Search(kAll, kMuch, &budget);
      ASSERT_TRUE(found.complete);
      // Tries every order of the segment's steps.
      const size_t n = segment.end - segment.begin;
      if (n > 9) continue;
      std::vector<int64_t> least(size_t{1} << n, INT64_MAX);
      least[0] = 0;
      for (size_t set = 0; set < least.size(); ++set) {
        if (least[set] == INT64_MAX) continue;
        std::vector<bool> done = before;
        for (size_t i = 0; i < n; ++i) {
          done[segment.begin + i] = (set >> i & 1) != 0;
        }
        for (size_t i = 0; i < n; ++i) {
          if (!definitions.MayRun(done, segment.begin + i)) continue;
          int64_t& next = least[set | size_t{1} << i];
          next = std::min(
              next,
              std::max(least[set], definitions.Need(done, segment.begin + i)));
        }
      }
      EXPECT_EQ(found.peak, least.back());
      std::vector<int> sorted = found.order;
      std::sort(sorted.begin(), sorted.end());
      ASSERT_EQ(sorted.size(), n);
      for (size_t i = 0; i < n; ++i) {
        EXPECT_EQ(sorted[i], segment.begin + static_cast<int>(i));
      }
      ++searched;
    }
  }
  EXPECT_GT(searched, 200);
}

// Values with more readers, and steps with more operands, than are looked
// through one by one.
TEST(OrderBeam, LongLists) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    OrderProblem p;
    const auto add = [&](std::vector<int> reads, int least, int most) {
      p.reads.push_back(std::move(reads));
      p.writes.push_back({static_cast<int>(p.bytes.size())});
      p.bytes.push_back(random.Between(least, most));
      p.scratch.push_back(0);
      return p.writes.back()[0];
    };
    const int shared = add({}, 1, 99);
    std::vector<int> all = {shared};
    for (int k = random.Between(4, 6); k > 0; --k) {
      all.push_back(add({shared}, 1, seed % 2 == 0 ? 99 : 5));
    }
    const int joined = add(all, 1, 20);
    // Values that are no longer live by then.
    const int left = add({joined}, 20, 99), right = add({joined}, 20, 99);
    add({left, right}, 20, 99);
    const OrderDefinitions definitions(p);
    const OrderGraph graph(p);
    WorkBudget budget(kMuch);
    OrderBeam beam(graph, Whole(p), 0, 0);
    const OrderBeam::Answer found = beam.Search(kAll, kMuch, &budget);
    EXPECT_TRUE(found.complete);
    EXPECT_EQ(found.peak, definitions.LeastPeak());
    EXPECT_EQ(found.peak, definitions.PeakOf(found.order));
  }
}

// Steps that free what they read and write nothing run one after the other,
// without trying alternatives.
TEST(OrderBeam, FreeStepsAreNoChoice) {
  OrderProblem p;
  const int num_steps = 200;
  for (int s = 0; s < num_steps; ++s) {
    p.reads.push_back(s == 0 ? std::vector<int>{} : std::vector<int>{s - 1});
    p.writes.emplace_back();
    p.scratch.push_back(0);
  }
  for (int v = 0; v + 1 < num_steps; ++v) {
    p.writes[0].push_back(v);
    p.bytes.push_back(8);
  }
  const OrderGraph graph(p);
  WorkBudget budget(kMuch);
  OrderBeam beam(graph, Whole(p), 0, 0);
  const OrderBeam::Answer found = beam.Search(64, kMuch, &budget);
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.order.size(), p.num_steps());
  // For each step, the ready steps are looked at and copied.
  EXPECT_LT(budget.spent(), num_steps * (3 * num_steps / 2 + 100));
}

TEST(OrderBeam, EndsWithItsBudget) {
  Random random(3);
  const OrderProblem p = RandomOrderProblem(150, 40, &random);
  const OrderGraph graph(p);
  OrderBeam beam(graph, Whole(p), 0, 0);
  WorkBudget much(kMuch);
  EXPECT_FALSE(beam.Search(16, kMuch, &much).order.empty());
  // Work is roughly the number of a state's steps, for each state that is kept.
  EXPECT_GT(much.spent(), 16 * 150 * 10);
  EXPECT_LT(much.spent(), 16 * 150 * 500);
  WorkBudget wide(kMuch);
  beam.Search(32, kMuch, &wide);
  EXPECT_GT(wide.spent(), much.spent() * 3 / 2);
  for (const int64_t units : {int64_t{1}, much.spent() / 2}) {
    WorkBudget budget(units);
    const OrderBeam::Answer found = beam.Search(16, kMuch, &budget);
    EXPECT_TRUE(found.order.empty());
    EXPECT_FALSE(found.complete);
    EXPECT_TRUE(budget.is_spent());
    EXPECT_LT(budget.spent(), units + 16 * 500);
  }
}

}  // namespace
}  // namespace mace
