// Compares properties of an OrderProblem with their definitions.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/memory/order_problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "mace/plan/testing/order_problems.h"

namespace mace {
namespace {

using testing::OrderDefinitions;
using testing::Random;
using testing::RandomOrderProblem;

constexpr int64_t kMuch = 1'000'000'000;

OrderProblem ProblemOf(uint32_t seed, int most_steps = 12) {
  Random random(seed);
  const int num_steps = random.Between(1, most_steps);
  const int reach = random.Between(1, 10);
  return RandomOrderProblem(num_steps, reach, &random);
}

std::vector<int> InOrder(const OrderProblem& p) {
  std::vector<int> order(p.num_steps());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

TEST(WorkBudget, IsSpentAtItsUnits) {
  WorkBudget budget(10);
  EXPECT_EQ(budget.left(), 10);
  EXPECT_EQ(budget.spent(), 0);
  EXPECT_TRUE(budget.Spend(9));
  EXPECT_FALSE(budget.is_spent());
  EXPECT_EQ(budget.left(), 1);
  EXPECT_TRUE(budget.Spend(1));
  EXPECT_TRUE(budget.is_spent());
  EXPECT_EQ(budget.left(), 0);
  EXPECT_FALSE(budget.Spend(1));
  EXPECT_EQ(budget.spent(), 11);
  EXPECT_EQ(budget.left(), 0);
}

TEST(OrderGraph, FollowsFromReadsAndWrites) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const OrderProblem p = ProblemOf(seed);
    const OrderDefinitions definitions(p);
    const OrderGraph graph(p);
    EXPECT_EQ(graph.writer, definitions.writer);
    for (size_t v = 0; v < p.bytes.size(); ++v) {
      std::vector<int> readers;
      for (size_t s = 0; s < p.num_steps(); ++s) {
        if (definitions.Reads(s, v)) readers.push_back(static_cast<int>(s));
      }
      EXPECT_EQ(graph.readers[v], readers);
    }
    for (size_t s = 0; s < p.num_steps(); ++s) {
      std::vector<int> before, after;
      for (size_t o = 0; o < p.num_steps(); ++o) {
        const auto reads_of = [&](size_t reader, size_t of) {
          return std::any_of(
              p.writes[of].begin(), p.writes[of].end(),
              [&](int v) { return definitions.Reads(reader, v); });
        };
        if (reads_of(s, o)) before.push_back(static_cast<int>(o));
        if (reads_of(o, s)) after.push_back(static_cast<int>(o));
      }
      EXPECT_EQ(graph.before[s], before);
      EXPECT_EQ(graph.after[s], after);
      int64_t written = 0;
      for (int v : p.writes[s]) written += p.bytes[v];
      EXPECT_EQ(graph.written[s], written);
    }
  }
}

// Returns a random valid order.
std::vector<int> RandomOrder(const OrderDefinitions& definitions,
                             Random* random) {
  std::vector<bool> done(definitions.p.num_steps());
  std::vector<int> order;
  while (order.size() < done.size()) {
    std::vector<int> ready;
    for (size_t s = 0; s < done.size(); ++s) {
      if (definitions.MayRun(done, s)) ready.push_back(static_cast<int>(s));
    }
    order.push_back(random->Of(ready));
    done[order.back()] = true;
  }
  return order;
}

TEST(OrderTrace, BytesOfRandomOrders) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const OrderProblem p = ProblemOf(seed);
    const OrderDefinitions definitions(p);
    Random random(seed);
    const std::vector<int> order = RandomOrder(definitions, &random);
    const OrderTrace trace = Trace(OrderGraph(p), order);
    ASSERT_EQ(trace.live.size(), order.size() + 1);
    ASSERT_EQ(trace.need.size(), order.size());
    std::vector<bool> done(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      EXPECT_EQ(trace.live[i], definitions.Live(done));
      EXPECT_EQ(trace.need[i], definitions.Need(done, order[i]));
      done[order[i]] = true;
    }
    EXPECT_EQ(trace.live.back(), 0);
    EXPECT_EQ(trace.Peak(0, order.size()), definitions.PeakOf(order));
    const size_t begin = order.size() / 3, end = order.size() - begin;
    EXPECT_EQ(trace.Peak(begin, end),
              begin == end ? 0
                           : *std::max_element(trace.need.begin() + begin,
                                               trace.need.begin() + end));
  }
}

TEST(Segments, AreBetweenStepsOfOnePlace) {
  int found = 0;
  for (uint32_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int num_steps = random.Between(1, 20);
    const OrderProblem p =
        RandomOrderProblem(num_steps, random.Between(1, 3), &random);
    const OrderDefinitions definitions(p);
    const int n = static_cast<int>(p.num_steps());
    std::vector<OrderSegment> want;
    int begin = 0;
    for (int s = 0; s <= n; ++s) {
      bool one_place = true;
      for (int o = 0; s < n && o < n; ++o) {
        one_place &=
            o == s || definitions.precedes[o][s] || definitions.precedes[s][o];
      }
      if (!one_place) continue;
      if (s - begin > 1) want.push_back({begin, s});
      begin = s + 1;
    }
    const std::vector<OrderSegment> segments = Segments(OrderGraph(p));
    ASSERT_EQ(segments.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ(segments[i].begin, want[i].begin);
      EXPECT_EQ(segments[i].end, want[i].end);
    }
    found += static_cast<int>(segments.size() > 1);
  }
  EXPECT_GT(found, 20);
}

TEST(StepBound, IsTheLargestStep) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const OrderProblem p = ProblemOf(seed);
    int64_t bound = 0;
    for (size_t s = 0; s < p.num_steps(); ++s) {
      int64_t bytes = p.scratch[s];
      for (int v : p.reads[s]) bytes += p.bytes[v];
      for (int v : p.writes[s]) bytes += p.bytes[v];
      bound = std::max(bound, bytes);
    }
    EXPECT_EQ(StepBound(OrderGraph(p)), bound);
  }
}

// Returns the largest need of a segment's steps, counting all values that are
// live at the step in every order.
int64_t Forced(const OrderDefinitions& definitions,
               const OrderSegment& segment) {
  const OrderProblem& p = definitions.p;
  const auto no_later = [&](int a, int b) {
    return a == b || definitions.precedes[a][b];
  };
  int64_t bound = 0;
  for (int s = segment.begin; s < segment.end; ++s) {
    int64_t need = p.scratch[s];
    for (size_t v = 0; v < p.bytes.size(); ++v) {
      const int writer = definitions.writer[v];
      if (writer < 0 || !no_later(writer, s)) continue;
      bool read = writer == s;
      for (size_t r = 0; r < p.num_steps(); ++r) {
        read |= definitions.Reads(r, v) && no_later(s, static_cast<int>(r));
      }
      if (read) need += p.bytes[v];
    }
    bound = std::max(bound, need);
  }
  return bound;
}

TEST(ForcedBound, CountsWhatLivesInEveryOrder) {
  int found = 0;
  for (uint32_t seed = 0; seed < 800; ++seed) {
    SCOPED_TRACE(seed);
    // Sets of one word and of two words.
    const OrderProblem p = ProblemOf(seed, seed % 40 == 0 ? 200 : 20);
    const OrderDefinitions definitions(p);
    const OrderGraph graph(p);
    for (const OrderSegment& segment : Segments(graph)) {
      WorkBudget budget(kMuch);
      EXPECT_EQ(ForcedBound(graph, segment, kMuch, &budget),
                Forced(definitions, segment));
      ++found;
      // This much work suffices, and no less.
      const int64_t work = budget.spent();
      WorkBudget enough(work);
      EXPECT_GT(ForcedBound(graph, segment, kMuch, &enough), 0);
      EXPECT_EQ(enough.spent(), work);
      WorkBudget too_little(work - 1);
      EXPECT_EQ(ForcedBound(graph, segment, kMuch, &too_little), 0);
      WorkBudget again(kMuch);
      EXPECT_EQ(ForcedBound(graph, segment, work - 1, &again), 0);
      EXPECT_LE(again.spent(), work);
      WorkBudget nothing(kMuch);
      EXPECT_EQ(ForcedBound(graph, segment, 0, &nothing), 0);
      EXPECT_EQ(nothing.spent(), 0);
    }
  }
  EXPECT_GT(found, 300);
}

TEST(ForcedBound, VeryLargeSegmentsAreLeftOut) {
  for (const int num_steps : {8191, 8192, 8193}) {
    OrderProblem p;  // independent steps
    for (int s = 0; s < num_steps; ++s) {
      p.reads.emplace_back();
      p.writes.push_back({s});
      p.bytes.push_back(1 + s % 3);
      p.scratch.push_back(0);
    }
    const OrderGraph graph(p);
    const std::vector<OrderSegment> segments = Segments(graph);
    ASSERT_EQ(segments.size(), 1u);
    EXPECT_EQ(segments[0].end, num_steps);
    WorkBudget budget(kMuch);
    EXPECT_EQ(ForcedBound(graph, segments[0], kMuch, &budget),
              num_steps > 8192 ? 0 : 3);
  }
}

TEST(OrderProblem, Orders) {
  const OrderProblem p = ProblemOf(1);
  EXPECT_EQ(p.num_steps(), p.scratch.size());
  EXPECT_EQ(OrderDefinitions(p).PeakOf(InOrder(p)),
            Trace(OrderGraph(p), InOrder(p)).Peak(0, p.num_steps()));
}

}  // namespace
}  // namespace mace
