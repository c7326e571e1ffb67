// Embedded plans: the round trip, and what a wrong one gets.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/problem/offline_plan.h"

#include "gtest/gtest.h"
#include "mace/memory/planners.h"
#include "mace/memory/problem/plan_text.h"

namespace mace::memory {
namespace {

Problem Chain(int n) {
  Problem p;
  p.alignment = 64;
  for (int i = 0; i < n; ++i) {
    Record r;
    r.size = 1000 + i * 37 % 512;
    r.first = i;
    r.last = i + 1 + i % 3;
    p.records.push_back(r);
  }
  return p;
}

TEST(EmbeddedPlanTest, RoundTrip) {
  const Problem p = Chain(50);
  const Result<Plan> plan = Solve(p, "offsets/GREEDY_BY_SIZE");
  const std::string bytes = WriteEmbeddedPlan(Embed(p, *plan));
  const Result<EmbeddedPlan> read = ReadEmbeddedPlan(bytes);
  ASSERT_TRUE(read.ok());
  const Result<Plan> verified = VerifyEmbeddedPlan(p, *read);
  ASSERT_TRUE(verified.ok()) << verified.status().information();
  EXPECT_EQ(verified->offsets, plan->offsets);
  EXPECT_EQ(verified->pool_totals, plan->pool_totals);
  EXPECT_EQ(verified->certificate.lower_bound, plan->certificate.lower_bound);
}

TEST(EmbeddedPlanTest, EveryFaultIsFound) {
  const Problem p = Chain(20);
  EmbeddedPlan good = Embed(p, *Solve(p, "offsets/GREEDY_BY_SIZE"));
  Problem other = p;
  other.records[7].last += 1;
  EXPECT_FALSE(VerifyEmbeddedPlan(other, good).ok());

  EmbeddedPlan moved = good;
  moved.offsets[3] = moved.offsets[4];
  const Result<Plan> collides = VerifyEmbeddedPlan(p, moved);
  ASSERT_FALSE(collides.ok());
  EXPECT_NE(collides.status().information().find("record 3"),
            std::string::npos);
  moved = good;
  moved.offsets[3] += 1;
  EXPECT_FALSE(VerifyEmbeddedPlan(p, moved).ok());
  moved = good;
  moved.certificate.total -= 1;
  EXPECT_FALSE(VerifyEmbeddedPlan(p, moved).ok());
  moved = good;
  moved.offsets[0] = int64_t{1} << 62;
  EXPECT_FALSE(VerifyEmbeddedPlan(p, moved).ok());

  const std::string bytes = WriteEmbeddedPlan(good);
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(ReadEmbeddedPlan(bytes.substr(0, length)).ok());
  }
}

TEST(OfflinePlanTest, PartialPlansLeaveTheRestToThePlanner) {
  Problem p;
  for (int i = 0; i < 3; ++i) {
    Record r;
    r.size = 16;
    r.last = 1;
    p.records.push_back(r);
  }
  ASSERT_TRUE(ApplyOfflinePlan({1, 0, {-1, 16, -1}}, &p).ok());
  const Result<Plan> plan = Solve(p, "offsets/GREEDY_BY_SIZE");
  EXPECT_EQ(plan->offsets, (std::vector<int64_t>{0, 16, 32}));
  EXPECT_FALSE(ApplyOfflinePlan({1, 0, {-1}}, &p).ok());
}

TEST(PlanTextTest, DrawsTheArena) {
  Problem p;
  for (int i = 0; i < 2; ++i) {
    Record r;
    r.size = 40;
    r.first = i;
    r.last = 1;
    p.records.push_back(r);
  }
  EXPECT_EQ(PlanText(p, {0, 40}),
            "0 (id=0): size=40, offset=0, first_used=0 last_used=1\n"
            "1 (id=1): size=40, offset=40, first_used=1 last_used=1\n"
            " 0: " +
                std::string(40, '0') + std::string(40, '.') + " (1k)\n" +
                " 1: " + std::string(40, '0') + std::string(40, '*') +
                " (1k)\n");
  EXPECT_NE(PlanText(p, {0, 39}).find('!'), std::string::npos);
}

}  // namespace
}  // namespace mace::memory
