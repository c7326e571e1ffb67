// The search gives the same total as brute force, and a valid plan.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/offsets/optimal.h"

#include <algorithm>
#include <random>

#include "gtest/gtest.h"
#include "mace/memory/planners.h"
#include "mace/memory/problem/validate.h"
#include "mace/memory/testing/brute_force.h"

namespace mace::memory {
namespace {

TEST(OffsetsOptimalTest, AgreesWithBruteForce) {
  std::mt19937 rng(3);
  for (int round = 0; round < 20000; ++round) {
    const Problem p = RandomSmallProblem(&rng, 7);
    const Result<Plan> plan = Solve(p, "offsets/OPTIMAL");
    ASSERT_TRUE(plan.ok());
    ASSERT_TRUE(Validate(p, *plan).ok()) << Validate(p, *plan).information();
    const int64_t least = LeastTotal(p);
    EXPECT_EQ(plan->certificate.total, least) << "round " << round;
    EXPECT_EQ(plan->certificate.status, Certificate::kOptimal)
        << "round " << round;
    EXPECT_LE(plan->certificate.lower_bound, least) << "round " << round;

    // One byte less is impossible, and the search proves it.
    if (least == 0) continue;
    Options options;
    options.capacity = least;
    EXPECT_LE(Solve(p, "offsets/OPTIMAL", options)->certificate.total, least);
    if (least == 1) continue;
    options.capacity = least - 1;
    EXPECT_EQ(Solve(p, "offsets/OPTIMAL", options)->certificate.status,
              Certificate::kInfeasible)
        << "round " << round;
  }
}

TEST(OffsetsOptimalTest, SameNodesSamePlan) {
  std::mt19937 rng(5);
  for (int round = 0; round < 20; ++round) {
    Problem p;
    for (int i = 0; i < 60; ++i) {
      Record r;
      r.size = std::uniform_int_distribution<int64_t>(1, 900)(rng);
      r.first = std::uniform_int_distribution<int64_t>(0, 40)(rng);
      r.last = r.first + std::uniform_int_distribution<int64_t>(0, 12)(rng);
      p.records.push_back(r);
    }
    Options options;
    options.max_nodes = 3000;
    const Result<Plan> a = Solve(p, "offsets/OPTIMAL", options);
    const Result<Plan> b = Solve(p, "offsets/OPTIMAL", options);
    EXPECT_EQ(a->offsets, b->offsets);
    EXPECT_LE(a->certificate.nodes, 3000);
    for (const char* other : {"offsets/NAIVE", "offsets/GREEDY_BY_SIZE",
                              "offsets/TFLM_GREEDY", "offsets/ARENA"}) {
      EXPECT_LE(a->certificate.total, Solve(p, other)->certificate.total);
      EXPECT_LE(Solve(p, "offsets/AUTO")->certificate.total,
                Solve(p, other)->certificate.total);
    }
  }
}

TEST(OffsetsOptimalTest, CancelsAndKeepsTheBestPlan) {
  std::atomic<bool> cancel = true;
  Problem p;
  for (int i = 0; i < 40; ++i) {
    Record r;
    r.size = 100 + i * 7919 % 613;
    r.first = i * 31 % 23;
    r.last = r.first + i % 7;
    p.records.push_back(r);
  }
  Options options;
  options.cancel = &cancel;
  const Result<Plan> plan = Solve(p, "offsets/OPTIMAL", options);
  ASSERT_TRUE(plan.ok());
  EXPECT_TRUE(Validate(p, *plan).ok());
  EXPECT_EQ(plan->certificate.nodes, 0);
}

// The smallest plan of TensorFlow Lite Micro's TestGreedyMedium takes 80 bytes;
// its own planner takes 90.
TEST(OffsetsOptimalTest, GreedyMediumIn80Bytes) {
  Problem p;
  const int64_t rows[][3] = {
      {10, 0, 1}, {20, 1, 2}, {30, 2, 3}, {40, 3, 4}, {50, 0, 1}};
  for (const auto& row : rows) {
    Record r;
    r.size = row[0];
    r.first = row[1];
    r.last = row[2];
    p.records.push_back(r);
  }
  const Result<Plan> plan = Solve(p, "offsets/AUTO");
  EXPECT_EQ(plan->certificate.total, 80);
  EXPECT_EQ(plan->certificate.status, Certificate::kOptimal);
}

}  // namespace
}  // namespace mace::memory
