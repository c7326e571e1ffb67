// Embedded and offline plans, and errors of wrong ones.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/problem/offline_plan.h"

#include "gtest/gtest.h"
#include "mace/memory/planners.h"

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

EmbeddedPlan Embed(const Problem& p, const Plan& plan) {
  return {HashOf(p), plan.certificate, plan.offsets};
}

TEST(EmbeddedPlanTest, IsThePlanThatWasEmbedded) {
  const Problem p = Chain(50);
  const Result<Plan> plan = Solve(p, "offsets/GREEDY_BY_SIZE");
  const Result<Plan> verified = VerifyEmbeddedPlan(p, Embed(p, *plan));
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

TEST(OfflinePlanTest, WordsOfAPlan) {
  const Result<OfflinePlan> read =
      OfflinePlanFromWords({1, 2, 3, -1, 0, 0x01020304}, 3);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->version, 1);
  EXPECT_EQ(read->subgraph, 2);
  EXPECT_EQ(read->offsets, (std::vector<int32_t>{-1, 0, 0x01020304}));
}

TEST(OfflinePlanTest, WordsThatAreNoPlan) {
  const auto message = [](std::vector<int32_t> words, size_t num_tensors) {
    return OfflinePlanFromWords(words, num_tensors).status().information();
  };
  EXPECT_EQ(message({1, 0, 0}, 0), "");
  EXPECT_EQ(message({1, 0}, 0),
            "OfflineMemoryAllocation: 2 words where at least 3 belong");
  EXPECT_EQ(message({1, 0, 2, 0}, 2),
            "OfflineMemoryAllocation: has 1 offsets (says 2) for 2 tensors");
  EXPECT_NE(message({1, 0, 1, 0, 0}, 2), "");
  EXPECT_NE(message({1, 0, -1, 0}, 1), "");
  EXPECT_EQ(message({1, 0, 1, 0, 7}, 1), "");  // further words are ignored
  EXPECT_EQ(message({1, 0, 2, -1, -2}, 2),
            "OfflineMemoryAllocation: tensor 1 has offset -2; -1 or more "
            "belongs there");
}

TEST(OfflinePlanTest, RecordsWithoutBytesKeepNoOffset) {
  Problem p;
  p.records.resize(2);
  p.records[1].size = 8;
  ASSERT_TRUE(ApplyOfflinePlan({1, 0, {8, 0}}, &p).ok());
  EXPECT_EQ(p.records[0].fixed_offset, kNoOffset);
  EXPECT_EQ(p.records[1].fixed_offset, 0);
  EXPECT_TRUE(p.fixed_may_overlap);
}

TEST(EmbeddedPlanTest, TheHashSeesEveryNumber) {
  const Problem p = Chain(3);
  std::vector<Problem> others(13, p);
  others[0].alignment = 32;
  others[1].fixed_may_overlap = true;
  others[2].records.pop_back();
  others[3].records[1].size = 1;
  others[4].records[1].size = Size(p.records[1].size.extent[0], 1);
  others[5].records[1].first = 0;
  others[6].records[1].last += 1;
  others[7].records[1].alignment = 2;
  others[8].records[1].pool = 1;
  others[9].records[1].fixed_offset = 0;
  others[10].records[1].alias_of = 0;
  others[11].records[1].alias_offset = 1;
  others[12].records[1].overlaps = {{0, 1}};
  others.push_back(others[12]);
  others.back().records[1].overlaps[0].other = 2;
  others.push_back(others[12]);
  others.back().records[1].overlaps[0].safe_distance = 2;
  others.push_back(p);
  for (size_t i = 0; i < others.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      EXPECT_NE(HashOf(others[i]), HashOf(others[k])) << i << " and " << k;
    }
  }
  Problem named = p;
  named.records[0].name = "other";
  EXPECT_EQ(HashOf(named), HashOf(p));
}

TEST(OfflinePlanTest, APlanOfNothingIsFine) {
  EXPECT_TRUE(OfflinePlanFromWords({1, 0, 0}, 0).ok());
  EXPECT_FALSE(OfflinePlanFromWords({1, 0, -1}, 0).ok());
  EXPECT_FALSE(OfflinePlanFromWords({1, 0}, 0).ok());
}

TEST(OfflinePlanTest, EachOffsetIsLookedAt) {
  EXPECT_TRUE(OfflinePlanFromWords({1, 0, 2, -1, 0}, 2).ok());
  for (int bad = 0; bad < 2; ++bad) {
    std::vector<int32_t> words = {1, 0, 2, 8, 8};
    words[3 + bad] = -2;
    EXPECT_EQ(OfflinePlanFromWords(words, 2).status().information(),
              "OfflineMemoryAllocation: tensor " + std::to_string(bad) +
                  " has offset -2; -1 or more belongs there");
  }
}

TEST(EmbeddedPlanTest, TotalsOfEachPool) {
  Problem p;
  p.records.resize(3);
  p.records[0].size = 8;
  p.records[1].size = 16;
  p.records[1].pool = 1;
  EmbeddedPlan plan;
  plan.hash = HashOf(p);
  plan.certificate.total = 24;
  plan.offsets = {0, 8, 0};
  const Result<Plan> verified = VerifyEmbeddedPlan(p, plan);
  ASSERT_TRUE(verified.ok()) << verified.status().information();
  EXPECT_EQ(verified->pool_totals, (std::vector<int64_t>{8, 24}));
}

}  // namespace
}  // namespace mace::memory
