// The search over offsets: what it finds and proves, and in how many nodes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/offsets/search.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "mace/memory/offsets/search_orders.h"
#include "mace/memory/problem/bounds.h"
#include "mace/memory/testing/brute_force.h"

namespace mace::memory {
namespace {

constexpr SearchFocus kFocuses[] = {
    SearchFocus::kTightSection, SearchFocus::kTightItem, SearchFocus::kFailing};

constexpr int64_t kNoLimit = int64_t{1} << 40;

struct Answer {
  SearchResult result;
  std::vector<int64_t> offsets;  // by record, in bytes
  int64_t nodes;
};

// `capacity` is in units.
template <typename T>
Answer Look(const Problem& p, const SearchInstance& in, Search<T>* search,
            int64_t capacity, SearchFocus focus,
            const std::vector<int32_t>& rank, int64_t max_nodes = kNoLimit) {
  Options options;
  options.max_nodes = 0;
  SearchBudget budget(options);
  Answer answer;
  answer.result = search->Run(capacity, focus, rank, max_nodes, &budget);
  answer.nodes = budget.nodes();
  if (answer.result != SearchResult::kFound) return answer;
  for (const Record& r : p.records) answer.offsets.push_back(r.fixed_offset);
  for (size_t i = 0; i < in.items.size(); ++i) {
    answer.offsets[in.items[i].record] = search->offsets()[i] * in.unit;
  }
  return answer;
}

std::vector<int32_t> RandomRank(std::mt19937* rng, size_t n) {
  std::vector<int32_t> rank(n);
  std::iota(rank.begin(), rank.end(), 1);
  std::shuffle(rank.begin(), rank.end(), *rng);
  return rank;
}

// Checks that no item can be moved down by its alignment.
void ExpectPushedDown(const Problem& p, const std::vector<int64_t>& offsets,
                      int64_t capacity) {
  for (size_t i = 0; i < offsets.size(); ++i) {
    std::vector<int64_t> lower = offsets;
    lower[i] -= p.records[i].alignment;
    EXPECT_FALSE(VerifyOffsets(p, lower, capacity).ok()) << "record " << i;
  }
}

// A single search for all capacities of a problem, because it remembers where
// it failed.
template <typename T>
void CheckCapacities(const Problem& p, int64_t least, std::mt19937* rng) {
  const SearchInstance in = MakeSearchInstance(p);
  for (SearchFocus focus : kFocuses) {
    Search<T> search(in);
    const auto rank = RandomRank(rng, in.items.size());
    for (int64_t bytes = least + 2 * in.unit; bytes >= least - 3 * in.unit;
         bytes -= in.unit) {
      if (bytes < 0) break;
      const Answer answer = Look(p, in, &search, bytes / in.unit, focus, rank);
      ASSERT_EQ(answer.result, bytes / in.unit * in.unit >= least
                                   ? SearchResult::kFound
                                   : SearchResult::kInfeasible)
          << bytes << " of " << least;
      if (answer.result != SearchResult::kFound) continue;
      const Status valid = VerifyOffsets(p, answer.offsets, bytes);
      ASSERT_TRUE(valid.ok()) << valid.information();
      ExpectPushedDown(p, answer.offsets, bytes);
    }
  }
}

TEST(SearchTest, FindsAPlanDownToTheLeast) {
  std::mt19937 rng(1);
  for (int round = 0; round < 1200; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomSmallProblem(&rng, 8);
    const int64_t least = LeastTotal(p);
    if (round % 2 == 0) {
      CheckCapacities<int32_t>(p, least, &rng);
    } else {
      CheckCapacities<int16_t>(p, least, &rng);
    }
    if (HasFailure()) return;
  }
}

TEST(SearchTest, AroundFixedRecordsAndOverlaps) {
  std::mt19937 rng(2);
  int proofs = 0, narrowed = 0;
  for (int round = 0; round < 4000; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomConstrainedProblem(&rng);
    const SearchInstance in = MakeSearchInstance(p);
    int64_t fixed_end = 0;
    for (const Record& r : p.records) {
      if (r.fixed_offset == kNoOffset) continue;
      fixed_end = std::max(fixed_end, r.fixed_offset + r.size.extent[0]);
    }
    const int64_t least = TryAllOffsets(p, 60).Solve();
    ASSERT_LT(least, 60);
    for (SearchFocus focus : kFocuses) {
      Search<int16_t> search(in);
      const auto rank = RandomRank(&rng, in.items.size());
      // Fixed records need not fit, as the caller knows where they end.
      for (int64_t bytes = least - 2; bytes < least + 2; ++bytes) {
        if (bytes < fixed_end) continue;
        const Answer answer =
            Look(p, in, &search, bytes / in.unit, focus, rank);
        ASSERT_NE(answer.result, SearchResult::kGaveUp);
        if (answer.result == SearchResult::kFound) {
          const Status valid = VerifyOffsets(p, answer.offsets, bytes);
          ASSERT_TRUE(valid.ok()) << valid.information();
        } else if (!in.narrowed) {
          ASSERT_LT(bytes / in.unit * in.unit, least);
          ++proofs;
        }
        narrowed += in.narrowed;
      }
    }
  }
  EXPECT_GT(proofs, 1000);
  EXPECT_GT(narrowed, 500);
}

TEST(SearchTest, StopsAfterItsNodes) {
  std::mt19937 rng(3);
  int gave_up = 0;
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomSmallProblem(&rng, 9);
    const SearchInstance in = MakeSearchInstance(p);
    if (in.items.empty()) continue;
    Search<int32_t> search(in);
    const auto rank = RandomRank(&rng, in.items.size());
    const int64_t capacity = LeastTotal(p) / in.unit;
    const Answer whole =
        Look(p, in, &search, capacity, SearchFocus::kTightSection, rank);
    Search<int32_t> again(in);
    const Answer same = Look(p, in, &again, capacity,
                             SearchFocus::kTightSection, rank, whole.nodes);
    EXPECT_EQ(same.result, whole.result);
    EXPECT_EQ(same.offsets, whole.offsets);
    EXPECT_EQ(same.nodes, whole.nodes);
    if (whole.nodes == 0) continue;
    const Answer less = Look(p, in, &again, capacity,
                             SearchFocus::kTightSection, rank, whole.nodes - 1);
    EXPECT_EQ(less.result, SearchResult::kGaveUp);
    EXPECT_LE(less.nodes, whole.nodes);
    // The caller's budget ends the search, too.
    Options options;
    options.max_nodes = 1;
    SearchBudget spent(options);
    EXPECT_EQ(
        again.Run(capacity, SearchFocus::kTightSection, rank, kNoLimit, &spent),
        SearchResult::kGaveUp);
    ++gave_up;
  }
  EXPECT_GT(gave_up, 300);
}

TEST(SearchTest, WhatCannotFitTakesNoNode) {
  Problem p;
  p.records.resize(3);
  p.records[0].size = 5;
  p.records[1].size = 3;
  p.records[2].size = 4;
  p.records[2].first = p.records[2].last = 1;
  p.records[0].last = 1;
  const SearchInstance in = MakeSearchInstance(p);
  Search<int16_t> search(in);
  const std::vector<int32_t> rank = {1, 2, 3};
  const auto run = [&](int64_t capacity) {
    return Look(p, in, &search, capacity, SearchFocus::kFailing, rank);
  };
  EXPECT_EQ(run(9).result, SearchResult::kFound);
  EXPECT_EQ(run(8).result, SearchResult::kInfeasible);
  EXPECT_EQ(run(8).nodes, 0) << "by the sum of a section";
  EXPECT_EQ(run(4).nodes, 0) << "by the size of an item";
  EXPECT_EQ(Search<int16_t>::MaxCapacity(), (1 << 13) - 2);
  EXPECT_EQ(Search<int32_t>::MaxCapacity(), (int64_t{1} << 29) - 2);
}

// Different alignments take the most nodes: few records fit below each other
// without a gap, and it is hard to tell which.
Problem RandomHardProblem(std::mt19937* rng, int n) {
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(*rng);
  };
  Problem p;
  for (int i = 0; i < n; ++i) {
    Record r;
    r.size = pick(1, 20);
    r.first = pick(0, n / 2);
    r.last = r.first + pick(0, n / 4);
    r.alignment = int64_t{1} << pick(0, 4);
    p.records.push_back(r);
  }
  return p;
}

// The same with fixed records and overlaps.
Problem RandomHardConstrainedProblem(std::mt19937* rng, int n) {
  Problem p = RandomHardProblem(rng, n);
  p.fixed_may_overlap = true;
  for (int i = 0; i < n; ++i) {
    Record& r = p.records[i];
    if ((*rng)() % 6 == 0) {
      r.fixed_offset = AlignUp((*rng)() % 40, r.alignment);
    }
    const auto other = static_cast<int32_t>((*rng)() % n);
    if ((*rng)() % 3 > 0 || other == i) continue;
    r.overlaps.push_back({other, static_cast<int64_t>((*rng)() % 20) - 5});
  }
  return p;
}

struct Work {
  int64_t nodes = 0;
  int found = 0, proven = 0;
};

// Searches of some problems, each with four capacities, in different orders.
template <typename T, typename MakeProblem>
Work WorkOf(SearchFocus focus, const MakeProblem& make) {
  Work work;
  std::mt19937 rng(4);
  for (int round = 0; round < 100; ++round) {
    const Problem p = make(&rng, 8 + round % 9);
    const SearchInstance in = MakeSearchInstance(p);
    const SearchOrders orders(in);
    Search<T> search(in);
    const int64_t bound = OffsetsLowerBound(p).bytes;
    for (int index = 0; index < 4; ++index) {
      const SearchOrder order = orders.Get(3 * index);
      const Answer answer = Look(p, in, &search, (bound + 3 * index) / in.unit,
                                 focus, order.rank, 2000);
      work.nodes += answer.nodes;
      work.found += answer.result == SearchResult::kFound;
      work.proven += answer.result == SearchResult::kInfeasible;
    }
  }
  return work;
}

// The same searches take at most one per cent more nodes than when this was
// written, and decide as many questions, because pruning, explanations and
// backjumps save nodes: a search without them is right but slow.
void ExpectNoMoreWork(const Work& work, const Work& then) {
  EXPECT_LE(work.nodes, then.nodes + then.nodes / 100);
  EXPECT_GE(work.found, then.found);
  EXPECT_GE(work.proven, then.proven);
}

TEST(SearchTest, NodesStayFew) {
  const Work then[] = {{156766, 282, 67}, {156894, 282, 68}, {152370, 283, 67}};
  for (int f = 0; f < 3; ++f) {
    ExpectNoMoreWork(WorkOf<int16_t>(kFocuses[f], RandomHardProblem), then[f]);
  }
}

TEST(SearchTest, NodesStayFewAroundFixedRecordsAndOverlaps) {
  const Work then[] = {{33372, 100, 296}, {33330, 100, 296}, {33815, 100, 296}};
  for (int f = 0; f < 3; ++f) {
    ExpectNoMoreWork(WorkOf<int32_t>(kFocuses[f], RandomHardConstrainedProblem),
                     then[f]);
  }
}

}  // namespace
}  // namespace mace::memory
