// Names of strategies, and the layout of shared objects in an arena.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/strategy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "mace/memory/problem/validate.h"

namespace mace::memory {
namespace {

Record Rec(int64_t size, int64_t first, int64_t last, int64_t alignment = 1) {
  Record r;
  r.size = size;
  r.first = first;
  r.last = last;
  r.alignment = alignment;
  return r;
}

TEST(StrategyTest, EveryPlannerHasItsNameAndItsShortName) {
  std::set<std::string> names;
  for (const Strategy& strategy : Strategies()) {
    EXPECT_TRUE(names.insert(strategy.name).second) << strategy.name;
    ASSERT_NE(strategy.arena(), nullptr) << strategy.name;
  }
  for (const Planner& planner : Planners()) {
    const std::string name = planner.name;
    const Result<Strategy> whole = FindStrategy(name);
    ASSERT_TRUE(whole.ok()) << name;
    EXPECT_EQ(whole->arena(), &planner) << "of its own kind, and no other";
    const Result<Strategy> bare = FindStrategy(name.substr(8));
    ASSERT_TRUE(bare.ok()) << name;
    EXPECT_TRUE(bare->offsets == &planner || bare->objects == &planner) << name;
  }
}

TEST(StrategyTest, WhatPlansWhat) {
  EXPECT_STREQ(FindStrategy("AUTO")->arena()->name, "offsets/AUTO");
  EXPECT_STREQ(FindStrategy("AUTO")->images()->name, "objects/AUTO");
  EXPECT_STREQ(FindStrategy("EQUALITY")->arena()->name, "objects/EQUALITY");
  EXPECT_STREQ(FindStrategy("objects/AUTO")->arena()->name, "objects/AUTO");
  EXPECT_EQ(FindStrategy("offsets/AUTO")->images(), nullptr);
  EXPECT_STREQ(FindStrategy("MINCOSTFLOW")->arena()->name,
               "objects/MINCOSTFLOW");
  EXPECT_EQ(FindStrategy("MINCOSTFLOW")->images(), nullptr)
      << "sizes in bytes only";
  EXPECT_TRUE(FindStrategy("PRESERVE_ALL")->preserves_all());
  EXPECT_STREQ(FindStrategy("PRESERVE_ALL")->images()->name, "objects/NAIVE");
  const std::string images = ImageStrategyNames();
  EXPECT_NE(images.find("objects/EQUALITY"), std::string::npos) << images;
  EXPECT_EQ(images.find("MINCOSTFLOW"), std::string::npos) << images;
  EXPECT_STREQ(FindStrategy("GREEDY")->arena()->name, "offsets/GREEDY_BY_SIZE");
  EXPECT_STREQ(FindStrategy("GREEDY")->images()->name,
               "objects/GREEDY_IN_ORDER");
  for (const char* unknown : {"", "GREEDILY", "objects/", "objects/ARENA"}) {
    const Result<Strategy> found = FindStrategy(unknown);
    EXPECT_EQ(found.status().code(), Status::MACE_INVALID_ARGS);
    EXPECT_NE(found.status().information().find("MINCOSTFLOW"),
              std::string::npos);
  }
}

// Random sizes and aliases in two pools.
Problem RandomProblem(std::mt19937* rng) {
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(*rng);
  };
  Problem p;
  p.alignment = int64_t{1} << pick(0, 2);
  for (int64_t i = pick(0, 14); i > 0; --i) {
    const int64_t first = pick(0, 12);
    Record r =
        Rec(pick(0, 30), first, first + pick(0, 5), int64_t{1} << pick(0, 5));
    r.pool = static_cast<int32_t>(pick(0, 4) / 4);
    if (!p.records.empty() && pick(0, 4) == 0) {
      r.alias_of = static_cast<int32_t>(
          pick(0, static_cast<int64_t>(p.records.size()) - 1));
      const Record& of = p.records[r.alias_of];
      r.pool = of.pool;
      r.alignment = 1;
      r.alias_offset = pick(0, of.size.extent[0]) / p.alignment * p.alignment;
      r.size = pick(0, of.size.extent[0] - r.alias_offset);
    }
    p.records.push_back(r);
  }
  return p;
}

TEST(StrategyTest, ObjectsAreDisjointPiecesOfTheArena) {
  std::mt19937 rng(5);
  for (int round = 0; round < 500; ++round) {
    const Problem p = RandomProblem(&rng);
    ASSERT_TRUE(Check(p).ok()) << Check(p).information();
    for (const Planner& planner : Planners()) {
      Options options;
      options.max_nodes = 200;
      if (planner.takes_constraints) continue;  // tested with Solve
      const Result<Plan> plan = SolveInArena(p, planner, options);
      ASSERT_TRUE(plan.ok()) << plan.status().information();
      int64_t arena = 0;
      for (int64_t total : plan->pool_totals) arena = std::max(arena, total);
      const Status valid = VerifyOffsets(p, plan->offsets, arena);
      ASSERT_TRUE(valid.ok()) << planner.name << ": " << valid.information();
      EXPECT_GE(plan->certificate.total, plan->certificate.lower_bound);
      if (plan->object_ids.empty()) continue;
      // Records of different objects never share a byte, even at different
      // times.
      for (size_t i = 0; i < p.records.size(); ++i) {
        for (size_t k = 0; k < i; ++k) {
          const Record &a = p.records[i], &b = p.records[k];
          if (a.pool != b.pool || plan->object_ids[i] == plan->object_ids[k] ||
              a.size.count() == 0 || b.size.count() == 0) {
            continue;
          }
          EXPECT_TRUE(plan->offsets[i] + a.size.count() <= plan->offsets[k] ||
                      plan->offsets[k] + b.size.count() <= plan->offsets[i])
              << planner.name << " round " << round;
        }
      }
    }
  }
}

TEST(StrategyTest, SizesAreRoundedBeforeTheyAreCompared) {
  Problem p;
  p.records = {Rec(65, 0, 0, 64), Rec(100, 1, 1, 64), Rec(10, 1, 1, 64)};
  const Result<Plan> plan = SolveInArena(p, *FindPlanner("objects/EQUALITY"));
  ASSERT_TRUE(plan.ok());
  // 65 and 100 bytes are both rounded up to 128.
  EXPECT_EQ(plan->offsets, (std::vector<int64_t>{0, 0, 128}));
  EXPECT_EQ(plan->certificate.total, 192);
}

TEST(StrategyTest, AnArenaTakesBytesOnly) {
  Problem p;
  Record image = Rec(1, 0, 0);
  image.size = Size(8, 4);
  p.records = {image};
  const Result<Plan> plan = SolveInArena(p, *FindPlanner("objects/NAIVE"));
  EXPECT_EQ(plan.status().code(), Status::MACE_UNSUPPORTED);
  EXPECT_NE(plan.status().information().find("record 0"), std::string::npos);
  p.records = {Rec(8, 0, 0)};
  p.records[0].fixed_offset = 0;
  EXPECT_EQ(SolveInArena(p, *FindPlanner("objects/NAIVE")).status().code(),
            Status::MACE_UNSUPPORTED);
}

}  // namespace
}  // namespace mace::memory
