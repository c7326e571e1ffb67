// Embedded and offline plans, and errors of wrong ones.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/problem/offline_plan.h"

#include <algorithm>

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
  const auto said = [](std::vector<int32_t> words, size_t num_tensors) {
    return OfflinePlanFromWords(words, num_tensors).status().information();
  };
  EXPECT_EQ(said({1, 0, 0}, 0), "");
  EXPECT_EQ(said({1, 0}, 0),
            "OfflineMemoryAllocation: 2 words where at least 3 belong");
  EXPECT_EQ(said({1, 0, 2, 0}, 2),
            "OfflineMemoryAllocation: has 1 offsets (says 2) for 2 tensors");
  EXPECT_NE(said({1, 0, 1, 0, 0}, 2), "");
  EXPECT_NE(said({1, 0, -1, 0}, 1), "");
  EXPECT_EQ(said({1, 0, 1, 0, 7}, 1), "");  // further words are ignored
  EXPECT_EQ(said({1, 0, 2, -1, -2}, 2),
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

TEST(OfflinePlanTest, LifetimesCountFromScopeOne) {
  // in 0 -> op 0 -> 1 -> op 1 (with constant 2) -> 3, 4; 5 is never used.
  const auto lives = Lifetimes({{{0}, {1}}, {{1, 2, -1}, {3, 4}}}, {0}, {3}, 6);
  const int32_t want[][2] = {{0, 1}, {1, 2}, {-1, 2}, {2, 2}, {2, 2}, {-1, -1}};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(lives[i].first, want[i][0]) << i;
    EXPECT_EQ(lives[i].last, want[i][1]) << i;
  }
  // A value that is written twice lives from the first time on. An output lives
  // to the end.
  const auto again = Lifetimes({{{}, {0}}, {{}, {1}}, {{}, {1}}}, {}, {0}, 2);
  EXPECT_EQ(again[0].last, 3);
  EXPECT_EQ(again[1].first, 2);
  EXPECT_EQ(again[1].last, 3);
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

TEST(PlanTextTest, LettersStepsAndKilobytes) {
  Problem p;
  const auto add = [&](int64_t size, int64_t first, int64_t last) {
    Record r;
    r.size = size;
    r.first = first;
    r.last = last;
    p.records.push_back(r);
  };
  add(1025, 8, 10);
  add(1024, 8, 11);
  p.records[1].name = "relu";
  const std::string text = PlanText(p, {1024, 0});
  EXPECT_EQ(text.find("0 (id=0): size=1025, offset=1024, first_used=8 "
                      "last_used=10\n1 (id=1): size=1024, offset=0, "
                      "first_used=8 last_used=11 relu\n 0: "),
            0u);
  EXPECT_NE(text.find("\n 7: " + std::string(80, '.') + " (0k)\n 8: " +
                      std::string(39, '1') + std::string(41, '0') + " (3k)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\n10: "), std::string::npos);
  EXPECT_NE(text.find("\n11: " + std::string(39, '1') + std::string(41, '.') +
                      " (1k)\n"),
            std::string::npos);
  EXPECT_EQ(text.find("\n12: "), std::string::npos);
  // With many steps, and negative ones, only those at which something changes.
  p.records[1].last = 4096;
  EXPECT_EQ(PlanText(p, {1024, 0}).find(" 9: "), std::string::npos);
  p.records[1].last = 4095;
  EXPECT_NE(PlanText(p, {1024, 0}).find("\n4094: "), std::string::npos);
  p.records[1].first = -1;
  EXPECT_EQ(PlanText(p, {1024, 0}).find(" 9: "), std::string::npos);
  EXPECT_NE(PlanText(p, {1024, 0}).find("\n-1: "), std::string::npos);
}

TEST(PlanTextTest, EveryStepFromTheFirstToTheLast) {
  Problem p;
  p.records.resize(2);
  for (Record& r : p.records) r.size = 40;
  p.records[1].first = p.records[1].last = 3;
  const auto lines = [&] {
    const std::string text = PlanText(p, {0, 40});
    return std::count(text.begin(), text.end(), '\n') - 2;
  };
  EXPECT_EQ(lines(), 4) << "steps 0 to 3";
  p.records[0].first = p.records[0].last = 1;
  EXPECT_EQ(lines(), 4) << "step 0 is drawn, too";
  p.records[0].first = p.records[0].last = -1;
  EXPECT_EQ(lines(), 2) << "those with a change";
  p.records[0].first = p.records[0].last = 0;
  p.records[1].first = p.records[1].last = 4096;
  EXPECT_EQ(lines(), 2);
  p.records[1].first = p.records[1].last = 4095;
  EXPECT_EQ(lines(), 4096);
  EXPECT_EQ(PlanText(Problem(), {}), "");
}

TEST(PlanTextTest, SixtyTwoLetters) {
  Problem p;
  std::vector<int64_t> offsets;
  for (int i = 0; i < 64; ++i) {
    Record r;
    r.size = 1;
    r.last = 1;
    p.records.push_back(r);
    offsets.push_back(i);
  }
  const std::string text = PlanText(p, offsets);
  EXPECT_NE(text.find(" 0: 0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNO"
                      "PQRSTUVWXYZ**................ (1k)\n"),
            std::string::npos)
      << text;
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
