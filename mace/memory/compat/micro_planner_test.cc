// The planners without a heap against those of the table.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/compat/micro_planner.h"

#include <random>

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

}  // namespace
}  // namespace mace::memory
