// Compares SearchOrder with all orders of small problems, and limits its work.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/memory/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

namespace mace {
namespace {

// Builds problems step by step.
struct Maker {
  OrderProblem p;

  // Adds a step that writes `count` values of these bytes. Returns the values.
  std::vector<int> AddMany(const std::vector<int>& reads, int64_t bytes,
                           int count, int64_t scratch) {
    const std::set<int> once(reads.begin(), reads.end());
    p.reads.emplace_back(once.begin(), once.end());
    p.writes.emplace_back();
    p.scratch.push_back(scratch);
    for (int i = 0; i < count; ++i) {
      p.writes.back().push_back(static_cast<int>(p.bytes.size()));
      p.bytes.push_back(bytes);
    }
    return p.writes.back();
  }
  int Add(const std::vector<int>& reads, int64_t bytes, int64_t scratch = 0) {
    return AddMany(reads, bytes, 1, scratch)[0];
  }
};

// Each step reads some of the `reach` values before it.
OrderProblem RandomProblem(int num_steps, int reach, uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&random](int n) {
    return static_cast<int>(random() % static_cast<uint32_t>(n));
  };
  Maker maker;
  for (int s = 0; s < num_steps; ++s) {
    std::vector<int> reads;
    for (int k = below(3); s > 0 && k >= 0; --k) {
      reads.push_back(s - 1 - below(std::min(s, reach)));
    }
    maker.Add(reads, 1 + below(100), below(4) == 0 ? below(80) : 0);
  }
  return maker.p;
}

// Returns the least peak of all orders: for each set of finished steps, by its
// last step.
int64_t LeastPeak(const OrderProblem& p) {
  const size_t n = p.num_steps();
  const OrderGraph graph(p);
  const int64_t kNone = INT64_MAX;
  std::vector<int64_t> least(size_t{1} << n, kNone);
  least[0] = 0;
  const auto has = [](size_t set, int step) { return set >> step & 1; };
  for (size_t set = 0; set < least.size(); ++set) {
    if (least[set] == kNone) continue;
    int64_t live = 0;
    for (size_t v = 0; v < n; ++v) {
      const auto& readers = graph.readers[v];
      const bool needed = std::any_of(readers.begin(), readers.end(),
                                      [&](int r) { return !has(set, r); });
      if (has(set, static_cast<int>(v)) && needed) live += p.bytes[v];
    }
    for (size_t s = 0; s < n; ++s) {
      const auto& before = graph.before[s];
      if (has(set, static_cast<int>(s)) ||
          !std::all_of(before.begin(), before.end(),
                       [&](int b) { return has(set, b); })) {
        continue;
      }
      int64_t& next = least[set | size_t{1} << s];
      const int64_t need = live + p.bytes[s] + p.scratch[s];
      next = std::min(next, std::max(least[set], need));
    }
  }
  return least.back();
}

void ExpectPossible(const OrderProblem& p, const std::vector<int>& order) {
  const OrderGraph graph(p);
  ASSERT_EQ(order.size(), p.num_steps());
  std::vector<bool> done(order.size());
  for (int step : order) {
    ASSERT_FALSE(done[step]) << "step " << step << " runs twice";
    for (int other : graph.before[step]) {
      ASSERT_TRUE(done[other]) << step << " runs before " << other;
    }
    done[step] = true;
  }
}

int64_t PeakOf(const OrderProblem& p, const std::vector<int>& order) {
  return Trace(OrderGraph(p), order).Peak(0, order.size());
}

TEST(Order, LeastOfAllOrders) {
  int gained = 0;
  for (uint32_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    const int num_steps = 1 + static_cast<int>(seed % 11);
    const OrderProblem p = RandomProblem(num_steps, 2 + seed / 11 % 9, seed);
    const OrderAnswer answer = SearchOrder(p, kOrderBudget);
    ExpectPossible(p, answer.order);
    const int64_t least = LeastPeak(p);
    EXPECT_EQ(answer.search.end, OrderSearch::kMinimum);
    EXPECT_EQ(answer.search.peak_after, least);
    EXPECT_EQ(PeakOf(p, answer.order), least);
    EXPECT_EQ(answer.search.bound, least);
    gained += answer.search.peak_before > least;
  }
  EXPECT_GT(gained, 100);  // otherwise the test checks nothing
}

TEST(Order, BoundsAreBelowAllOrders) {
  int forced_more = 0;
  for (uint32_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    const OrderProblem p = RandomProblem(2 + seed % 10, 2 + seed % 5, seed);
    const OrderGraph graph(p);
    const int64_t least = LeastPeak(p);
    EXPECT_LE(StepBound(graph), least);
    for (const OrderSegment& segment : Segments(graph)) {
      WorkBudget budget(kOrderBudget);
      const int64_t forced = ForcedBound(graph, segment, kOrderBudget, &budget);
      EXPECT_GT(forced, 0);
      EXPECT_LE(forced, least);
      forced_more += forced > StepBound(graph);
    }
  }
  EXPECT_GT(forced_more, 20);
}

// With any budget, the order is valid and not worse, is the same each time, and
// takes little more work than allowed.
TEST(Order, EveryBudget) {
  const OrderProblem p = RandomProblem(300, 60, 1);
  // The most work that a single depth of the widest beam may add.
  const int64_t last_depth = 512 * 300 * 10;
  int64_t first = 0, last = 0;
  for (int64_t budget = 1; budget <= kOrderBudget; budget *= 7) {
    SCOPED_TRACE(budget);
    const OrderAnswer answer = SearchOrder(p, budget);
    ExpectPossible(p, answer.order);
    EXPECT_LE(answer.search.peak_after, answer.search.peak_before);
    EXPECT_EQ(answer.search.peak_after, PeakOf(p, answer.order));
    EXPECT_LE(answer.search.work, budget + last_depth);
    const OrderAnswer again = SearchOrder(p, budget);
    EXPECT_EQ(again.order, answer.order);
    EXPECT_EQ(again.search.work, answer.search.work);
    if (budget == 1) {
      EXPECT_EQ(answer.search.end, OrderSearch::kBudget);
      first = answer.search.peak_after;
    }
    last = answer.search.peak_after;
  }
  EXPECT_LT(last, first);
}

// A bidirectional recurrent layer, like an unrolled GRU: the gates of all
// inputs at once, split up, and for each point in time the gates of the state,
// their sum, and the next state.
OrderProblem BothWays(int num_times) {
  Maker maker;
  const int input = maker.Add({}, 64 * num_times);
  std::vector<int> outputs;
  for (int way = 0; way < 2; ++way) {
    const int gates = maker.Add({input}, 192 * num_times);
    const std::vector<int> of_input = maker.AddMany({gates}, 192, num_times, 0);
    int state = maker.Add({}, 64);
    for (int t = 0; t < num_times; ++t) {
      const int of_state = maker.Add({state}, 192);
      const int sum = maker.Add({of_input[t], of_state}, 192);
      const int gate = maker.Add({sum}, 64);
      const int candidate = maker.Add({sum, gate}, 64);
      const int kept = maker.Add({gate, state}, 64);
      state = maker.Add({candidate, kept}, 64);
      outputs.push_back(state);
    }
  }
  maker.Add(outputs, 128 * num_times);
  return maker.p;
}

// 5,000 steps, with different numbers of choices.
TEST(Order, RecurrenceTakesBoundedWork) {
  const OrderProblem p = BothWays(416);
  ASSERT_GT(p.num_steps(), 4990u);
  const OrderAnswer answer = SearchOrder(p, kOrderBudget);
  ExpectPossible(p, answer.order);
  EXPECT_EQ(answer.search.end, OrderSearch::kMinimum);
  EXPECT_LE(answer.search.work, 12'000'000);
}

// Steps that may run at nearly any time: the search spends its budget but no
// more, and keeps what it has found until then.
TEST(Order, IrregularGraphTakesBoundedWork) {
  for (const int reach : {50, 1000}) {
    SCOPED_TRACE(reach);
    const OrderProblem p = RandomProblem(5000, reach, 7);
    const OrderAnswer answer = SearchOrder(p, kOrderBudget);
    ExpectPossible(p, answer.order);
    EXPECT_LE(answer.search.work, kOrderBudget + kOrderBudget / 10);
    EXPECT_LE(answer.search.peak_after, answer.search.peak_before);
    if (reach == 50) {
      EXPECT_LT(answer.search.peak_after, answer.search.peak_before * 9 / 10);
    }
  }
}

// A sequence of pairs of branches, of which the second should run first.
OrderProblem Diamonds(int count) {
  Maker maker;
  int at = maker.Add({}, 10);
  for (int i = 0; i < count; ++i) {
    const int keeps_much = maker.Add({at}, 50);
    const int wide = maker.Add({at}, 100);
    const int narrow = maker.Add({wide}, 5);
    at = maker.Add({keeps_much, narrow}, 10);
  }
  return maker.p;
}

TEST(Order, SegmentsAreSearchedAlone) {
  const OrderProblem few = Diamonds(10), many = Diamonds(1000);
  EXPECT_EQ(Segments(OrderGraph(many)).size(), 1000u);
  const OrderAnswer a = SearchOrder(few, kOrderBudget);
  const OrderAnswer b = SearchOrder(many, kOrderBudget);
  EXPECT_EQ(b.search.peak_before, 160);
  EXPECT_EQ(b.search.peak_after, LeastPeak(Diamonds(2)));
  EXPECT_EQ(b.search.end, OrderSearch::kMinimum);
  EXPECT_LE(b.search.work, 120 * a.search.work);
}

TEST(Order, NothingIsSearchedAtTheBound) {
  Maker chain;
  for (int s = 0; s < 5000; ++s) {
    chain.Add(s > 0 ? std::vector<int>{s - 1} : std::vector<int>(), 1 + s % 7);
  }
  const OrderAnswer answer = SearchOrder(chain.p, kOrderBudget);
  EXPECT_EQ(answer.search.end, OrderSearch::kMinimum);
  EXPECT_LE(answer.search.work, 10'000);
  EXPECT_TRUE(std::is_sorted(answer.order.begin(), answer.order.end()));
}

// One value that all steps read, and one step that reads all values: lists that
// are counted instead of looked through.
TEST(Order, ManyReadersAndOperands) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Maker maker;
    const int shared = maker.Add({}, 40);
    std::vector<int> ends;
    for (int k = 0; k < 4; ++k) {
      const int wide =
          maker.Add({shared}, 1 + static_cast<int64_t>(random() % 90));
      ends.push_back(
          maker.Add({wide, shared}, 1 + static_cast<int64_t>(random() % 90)));
    }
    ends.push_back(shared);
    maker.Add(ends, 10);
    const OrderAnswer answer = SearchOrder(maker.p, kOrderBudget);
    ExpectPossible(maker.p, answer.order);
    EXPECT_EQ(answer.search.peak_after, LeastPeak(maker.p));
  }
}

TEST(Order, NoSteps) {
  const OrderAnswer answer = SearchOrder(OrderProblem(), kOrderBudget);
  EXPECT_TRUE(answer.order.empty());
  EXPECT_EQ(answer.search.end, OrderSearch::kMinimum);
  EXPECT_EQ(answer.search.bound, 0);
  EXPECT_EQ(answer.search.peak_after, 0);
  EXPECT_EQ(answer.search.budget, kOrderBudget);
}

}  // namespace
}  // namespace mace
