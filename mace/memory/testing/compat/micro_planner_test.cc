// Compares the planners without a heap with those of the table.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/testing/compat/micro_planner.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "mace/memory/planners.h"

namespace mace::memory {
namespace {

TEST(MicroGreedyPlannerTest, PlacesAsThePlannerWithAHeap) {
  std::mt19937 rng(7);
  const auto pick = [&](int32_t low, int32_t high) {
    return std::uniform_int_distribution<int32_t>(low, high)(rng);
  };
  for (int round = 0; round < 3000; ++round) {
    const int32_t n = pick(0, 20);
    std::vector<int32_t> scratch(n * MicroGreedyPlanner::kBytesPerBuffer / 4);
    MicroGreedyPlanner planner(scratch.data(), scratch.size() * 4);
    Problem p;
    p.fixed_may_overlap = true;
    for (int32_t i = 0; i < n; ++i) {
      Record r;
      r.size = pick(1, 9);
      r.first = pick(0, 10);
      r.last = r.first + pick(0, 4);
      r.fixed_offset = pick(0, 4) == 0 ? pick(0, 30) : kNoOffset;
      ASSERT_TRUE(planner
                      .AddBuffer(static_cast<int32_t>(r.size.extent[0]),
                                 static_cast<int32_t>(r.first),
                                 static_cast<int32_t>(r.last),
                                 static_cast<int32_t>(r.fixed_offset))
                      .ok());
      p.records.push_back(r);
    }
    EXPECT_FALSE(planner.AddBuffer(1, 0, 1).ok());
    const Result<Plan> plan = Solve(p, "offsets/TFLM_GREEDY");
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(planner.MaximumBytes(), plan->certificate.total);
    for (int32_t i = 0; i < n; ++i) {
      EXPECT_EQ(*planner.OffsetOf(i), plan->offsets[i]);
    }
  }
}

TEST(MicroGreedyPlannerTest, RefusesBadBuffers) {
  alignas(4) char scratch[280];
  MicroGreedyPlanner planner(scratch, sizeof(scratch));
  EXPECT_FALSE(planner.AddBuffer(-1, 0, 1).ok());
  EXPECT_FALSE(planner.AddBuffer(1, 1, 0).ok());
  EXPECT_TRUE(planner.AddBuffer(0x7fffffff, 0, 1).ok());
  EXPECT_NE(planner.AddBuffer(1, 0, 1).information().find("overflows"),
            std::string::npos);
  EXPECT_FALSE(planner.OffsetOf(1).ok());
}

TEST(MicroGreedyPlannerTest, SaysWhichBufferIsBad) {
  alignas(4) char scratch[2 * MicroGreedyPlanner::kBytesPerBuffer + 27];
  MicroGreedyPlanner planner(scratch, sizeof(scratch));
  EXPECT_TRUE(planner.AddBuffer(10, 3, 3).ok()) << "one step is a lifetime";
  EXPECT_EQ(planner.AddBuffer(-1, 0, 1).information(),
            "buffer 1: negative size -1");
  EXPECT_EQ(planner.AddBuffer(1, 4, 3).information(),
            "buffer 1: reversed interval: first use 4 is after last use 3");
  // Given offsets count up to the end of their buffers.
  EXPECT_EQ(planner.AddBuffer(10, 0, 1, 0x7fffffff - 19).information(),
            "buffer 1: the sum of all sizes overflows here");
  EXPECT_EQ(planner.num_buffers(), 1);
  EXPECT_TRUE(planner.AddBuffer(10, 0, 1, 0x7fffffff - 20).ok());
  EXPECT_EQ(planner.AddBuffer(0, 0, 1).information(),
            "the greedy planner has room for 2 buffers");
  EXPECT_EQ(planner.MaximumBytes(), 0x7fffffff - 10);
  EXPECT_EQ(planner.OffsetOf(2).status().information(),
            "buffer 2 does not exist; there are 2");
  EXPECT_FALSE(planner.OffsetOf(-1).ok());
  EXPECT_EQ(*planner.OffsetOf(0), 0);
}

TEST(MicroGreedyPlannerTest, PlansAgainWhenABufferIsAdded) {
  int32_t scratch[4 * MicroGreedyPlanner::kBytesPerBuffer / 4];
  MicroGreedyPlanner planner(scratch, sizeof(scratch));
  EXPECT_EQ(planner.MaximumBytes(), 0);
  ASSERT_TRUE(planner.AddBuffer(10, 0, 1).ok());
  EXPECT_EQ(*planner.OffsetOf(0), 0);
  EXPECT_EQ(planner.MaximumBytes(), 10);
  ASSERT_TRUE(planner.AddBuffer(20, 1, 2).ok());
  EXPECT_EQ(*planner.OffsetOf(0), 20) << "below the larger one no more";
  EXPECT_EQ(*planner.OffsetOf(1), 0);
  EXPECT_EQ(planner.MaximumBytes(), 30);
}

TEST(MicroGreedyPlannerTest, SeesOverlapsOfBuffersThatAreGiven) {
  std::mt19937 rng(8);
  const auto pick = [&](int32_t low, int32_t high) {
    return std::uniform_int_distribution<int32_t>(low, high)(rng);
  };
  int overlapping = 0;
  for (int round = 0; round < 2000; ++round) {
    int32_t scratch[3 * MicroGreedyPlanner::kBytesPerBuffer / 4];
    MicroGreedyPlanner planner(scratch, sizeof(scratch));
    bool used[6][20] = {};
    bool overlap = false;
    for (int k = pick(1, 3); k > 0; --k) {
      const int32_t bytes = pick(1, 5), first = pick(0, 4), last = first + 1;
      const int32_t offset = pick(0, 12);
      ASSERT_TRUE(planner.AddBuffer(bytes, first, last, offset).ok());
      for (int32_t step = first; step <= last; ++step) {
        for (int32_t b = offset; b < offset + bytes; ++b) {
          overlap |= used[step][b];
          used[step][b] = true;
        }
      }
    }
    EXPECT_EQ(planner.AnyOverlap(), overlap) << round;
    overlapping += overlap;
  }
  EXPECT_GT(overlapping, 200);
}

TEST(MicroLinearPlannerTest, OneAfterTheOther) {
  int32_t scratch[2];
  MicroLinearPlanner planner(scratch, sizeof(scratch));
  EXPECT_EQ(planner.MaximumBytes(), 0);
  EXPECT_EQ(planner.AddBuffer(-1, 0, 1).information(),
            "buffer 0: negative size -1");
  ASSERT_TRUE(planner.AddBuffer(0x7ffffff0, 0, 1).ok());
  EXPECT_EQ(planner.AddBuffer(0x10, 5, 5).information(),
            "buffer 1: the sum of all sizes overflows here");
  ASSERT_TRUE(planner.AddBuffer(0xf, 5, 5).ok());
  EXPECT_EQ(planner.num_buffers(), 2);
  EXPECT_EQ(*planner.OffsetOf(0), 0);
  EXPECT_EQ(*planner.OffsetOf(1), 0x7ffffff0);
  EXPECT_EQ(planner.MaximumBytes(), 0x7fffffff);
  EXPECT_EQ(planner.AddBuffer(0, 0, 1).information(),
            "the linear planner has room for 2 buffers");
  EXPECT_FALSE(planner.OffsetOf(-1).ok());
  EXPECT_EQ(planner.OffsetOf(2).status().information(),
            "buffer 2 does not exist; there are 2");
}

TEST(MicroGivenPlannerTest, TakesWhatItIsGiven) {
  const int32_t offsets[] = {7, 3};
  MicroGivenPlanner planner(offsets, 2);
  EXPECT_EQ(planner.num_buffers(), 0);
  EXPECT_TRUE(planner.AddBuffer(1, 0, 0).ok());
  EXPECT_TRUE(planner.AddBuffer(1, 0, 0).ok());
  EXPECT_EQ(planner.num_buffers(), 2);
  EXPECT_EQ(planner.AddBuffer(1, 0, 0).information(),
            "the given plan has room for 2 buffers");
  EXPECT_EQ(*planner.OffsetOf(0), 7);
  EXPECT_EQ(*planner.OffsetOf(1), 3);
  EXPECT_FALSE(planner.OffsetOf(-1).ok());
  EXPECT_FALSE(planner.OffsetOf(2).ok());
  EXPECT_EQ(planner.MaximumBytes(), 0);
}

TEST(ReverseSortTest, EqualValuesStayInTheirOrder) {
  std::mt19937 rng(9);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::pair<int32_t, int32_t>> pairs(rng() % 12);
    std::vector<int32_t> values, ids;
    for (size_t i = 0; i < pairs.size(); ++i) {
      pairs[i] = {static_cast<int32_t>(rng() % 5), static_cast<int32_t>(i)};
      values.push_back(pairs[i].first);
      ids.push_back(pairs[i].second);
    }
    ReverseSortInPlace(values.data(), ids.data(),
                       static_cast<int32_t>(ids.size()));
    std::stable_sort(
        pairs.begin(), pairs.end(),
        [](const auto& a, const auto& b) { return a.first > b.first; });
    for (size_t i = 0; i < pairs.size(); ++i) {
      EXPECT_EQ(values[i], pairs[i].first);
      EXPECT_EQ(ids[i], pairs[i].second);
    }
  }
}

}  // namespace
}  // namespace mace::memory
