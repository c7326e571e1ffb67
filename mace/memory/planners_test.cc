// Checks every planner of the table with the validator, and bad problems.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/planners.h"

#include <gtest/gtest.h>

#include <random>

#include "mace/memory/problem/validate.h"

namespace mace::memory {
namespace {

Problem Records(std::vector<Record> records) {
  Problem p;
  p.records = std::move(records);
  return p;
}

Record Rec(int64_t size, int64_t first, int64_t last) {
  Record r;
  r.size = size;
  r.first = first;
  r.last = last;
  return r;
}

// Random sizes, alignments, pools, fixed offsets and aliases.
Problem RandomProblem(std::mt19937* rng, bool constraints) {
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(*rng);
  };
  Problem p;
  p.alignment = int64_t{1} << pick(0, 2);
  const int64_t n = pick(0, 14);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t first = pick(0, 12);
    Record r = Rec(pick(0, 30), first, first + pick(0, 5));
    r.alignment = int64_t{1} << pick(0, 3);
    r.pool = pick(0, 9) == 0 ? 1 : 0;
    if (constraints && pick(0, 5) == 0) {
      r.fixed_offset = pick(0, 9) * 8;
      p.fixed_may_overlap = true;
    }
    if (constraints && i > 0 && pick(0, 4) == 0) {
      r.alias_of = static_cast<int32_t>(pick(0, i - 1));
      const Record& of = p.records[r.alias_of];
      r.pool = of.pool;
      r.fixed_offset = kNoOffset;
      r.alignment = 1;
      r.size = pick(0, of.size.extent[0]);
    }
    if (constraints && i > 0 && pick(0, 4) == 0) {
      r.overlaps.push_back(
          {static_cast<int32_t>(pick(0, i - 1)),
           pick(0, 1) ? pick(-10, 20) : Overlap::kAnyDistance});
    }
    p.records.push_back(r);
  }
  return p;
}

TEST(PlannersTest, EveryPlannerMakesValidPlans) {
  for (const Planner& planner : Planners()) {
    std::mt19937 rng(1);
    for (int round = 0; round < 2000; ++round) {
      const Problem p = RandomProblem(&rng, planner.takes_constraints);
      ASSERT_TRUE(Check(p).ok()) << Check(p).information();
      Options options;
      options.max_nodes = 200;
      const Result<Plan> plan = Solve(p, planner.name, options);
      ASSERT_TRUE(plan.ok()) << planner.name << plan.status().information();
      const Status valid = Validate(p, *plan);
      ASSERT_TRUE(valid.ok())
          << planner.name << " round " << round << ": " << valid.information();
      if (!plan->offsets.empty()) {
        int64_t arena = 0;
        for (int64_t total : plan->pool_totals) arena = std::max(arena, total);
        EXPECT_TRUE(VerifyOffsets(p, plan->offsets, arena).ok());
      }
      const Result<Plan> again = Solve(p, planner.name, options);
      EXPECT_EQ(again->offsets, plan->offsets);
      EXPECT_EQ(again->object_ids, plan->object_ids);
    }
  }
}

TEST(PlannersTest, CertificateSaysWhatIsKnown) {
  const Problem p = Records({Rec(16, 0, 1), Rec(8, 1, 2), Rec(64, 2, 3)});
  const Result<Plan> naive = Solve(p, "offsets/NAIVE");
  EXPECT_EQ(naive->certificate.total, 88);
  EXPECT_EQ(naive->certificate.lower_bound, 72);
  EXPECT_EQ(naive->certificate.status, Certificate::kFeasible);
  const Result<Plan> best = Solve(p, "offsets/GREEDY_BY_SIZE");
  EXPECT_EQ(best->certificate.total, 72);
  EXPECT_EQ(best->certificate.status, Certificate::kOptimal);
}

TEST(PlannersTest, CapacityBelowTheBoundIsProvenInfeasible) {
  const Problem p = Records({Rec(16, 0, 1), Rec(8, 1, 2)});
  Options options;
  options.capacity = 23;
  const Result<Plan> plan = Solve(p, "offsets/GREEDY_BY_SIZE", options);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->certificate.status, Certificate::kInfeasible);
  options.capacity = 24;
  EXPECT_EQ(Solve(p, "offsets/GREEDY_BY_SIZE", options)->certificate.status,
            Certificate::kOptimal);
}

TEST(PlannersTest, WhatAPlannerCannotPlanIsNamed) {
  const auto message = [](const Record& r, const char* strategy) {
    const Result<Plan> plan = Solve(Records({r}), strategy);
    EXPECT_TRUE(plan.ok() || plan.status().code() == Status::MACE_UNSUPPORTED);
    return plan.status().information();
  };
  Record image = Rec(0, 0, 1);
  image.size = Size(2, 3);
  EXPECT_EQ(message(image, "objects/GREEDY_IN_ORDER"), "");
  EXPECT_EQ(message(image, "offsets/AUTO"),
            "record 0: offsets/AUTO takes sizes of at most 1 extents; this one "
            "has 2");
  image.size = Size(1, 2, 3, 4);
  EXPECT_EQ(message(image, "objects/EQUALITY"), "");
  EXPECT_EQ(message(image, "objects/GREEDY_IN_ORDER"),
            "record 0: objects/GREEDY_IN_ORDER takes sizes of at most 3 "
            "extents; this one has 4");
  Record fixed = Rec(8, 0, 1);
  fixed.fixed_offset = 8;
  EXPECT_EQ(message(fixed, "offsets/TFLM_GREEDY"), "");
  EXPECT_EQ(message(fixed, "offsets/ARENA"),
            "record 0: offsets/ARENA cannot honour a fixed offset");
}

TEST(PlannersTest, PoolsAreAddedUp) {
  Problem p = Records({Rec(16, 0, 1), Rec(8, 0, 2), Rec(4, 0, 1)});
  p.records[1].pool = 2;
  const Result<Plan> offsets = Solve(p, "offsets/GREEDY_BY_SIZE");
  EXPECT_EQ(offsets->offsets, (std::vector<int64_t>{0, 0, 16}));
  EXPECT_EQ(offsets->pool_totals, (std::vector<int64_t>{20, 0, 8}));
  EXPECT_EQ(offsets->certificate.total, 28);
  EXPECT_EQ(offsets->certificate.lower_bound, 28);
  EXPECT_EQ(offsets->certificate.strategy, "offsets/GREEDY_BY_SIZE");
  const Result<Plan> objects = Solve(p, "objects/NAIVE");
  EXPECT_EQ(objects->object_pools, (std::vector<int32_t>{0, 0, 2}));
  EXPECT_EQ(objects->object_ids, (std::vector<int32_t>{0, 2, 1}));
  EXPECT_EQ(objects->pool_totals, (std::vector<int64_t>{20, 0, 8}));
}

TEST(PlannersTest, UnknownStrategyNamesTheChoices) {
  const Result<Plan> plan = Solve(Problem(), "GREEDY");
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.status().information().find("offsets/GREEDY_BY_SIZE"),
            std::string::npos);
}

TEST(PlannersTest, AProofByTheSearchIsItsOwnBound) {
  // The smallest plan of these takes more than the largest sum at a step: they
  // have 1 to 3 bytes at multiples of 4.
  std::mt19937 rng(6);
  int above = 0;
  for (int round = 0; round < 300; ++round) {
    Problem p;
    for (int i = 0; i < 6; ++i) {
      p.records.push_back(Rec(1 + rng() % 7, rng() % 4, 4));
      p.records.back().alignment = int64_t{1} << rng() % 4;
    }
    const Certificate c = Solve(p, "offsets/OPTIMAL")->certificate;
    EXPECT_EQ(c.status, Certificate::kOptimal);
    EXPECT_EQ(c.lower_bound, c.total);
    above += c.total > Solve(p, "offsets/NAIVE")->certificate.lower_bound;
    // The same for objects.
    const Certificate o = Solve(p, "objects/OPTIMAL")->certificate;
    EXPECT_EQ(o.status, Certificate::kOptimal);
    EXPECT_EQ(o.lower_bound, o.total);
  }
  EXPECT_GT(above, 10);
}

TEST(PlannersTest, ACapacityThatIsNotMetByChanceIsUnknown) {
  const Problem p = Records({Rec(16, 0, 1), Rec(8, 1, 2), Rec(64, 2, 3)});
  Options options;
  const auto status = [&](int64_t capacity) {
    options.capacity = capacity;
    return Solve(p, "offsets/NAIVE", options)->certificate.status;
  };
  EXPECT_EQ(status(0), Certificate::kFeasible) << "no capacity";
  EXPECT_EQ(status(88), Certificate::kFeasible);
  EXPECT_EQ(status(87), Certificate::kUnknown);
  EXPECT_EQ(status(72), Certificate::kUnknown);
  EXPECT_EQ(status(71), Certificate::kInfeasible);
}

TEST(PlannersTest, AliasesFollowTheirRoots) {
  Problem p = Records({Rec(8, 0, 1), Rec(16, 0, 1), Rec(4, 2, 3)});
  p.records[2].alias_of = 1;
  p.records[2].alias_offset = 12;
  const Result<Plan> plan = Solve(p, "offsets/NAIVE");
  EXPECT_EQ(plan->offsets, (std::vector<int64_t>{0, 8, 20}));
  const Result<Plan> objects = Solve(p, "objects/NAIVE");
  EXPECT_EQ(objects->object_ids, (std::vector<int32_t>{0, 1, 1}));
  EXPECT_EQ(objects->object_sizes.size(), 2u);
}

// What each planner takes according to its header: fixed offsets if it places
// records one by one, and sizes of more than one extent.
TEST(PlannersTest, TheTableSaysWhatEachTakes) {
  for (const Planner& planner : Planners()) {
    SCOPED_TRACE(planner.name);
    const std::string name = planner.name;
    EXPECT_EQ(FindPlanner(name), &planner);
    const bool objects = name.rfind("objects/", 0) == 0;
    Problem fixed = Records({Rec(8, 0, 1), Rec(8, 0, 1)});
    fixed.records[1].fixed_offset = 16;
    const Result<Plan> plan = Solve(fixed, name);
    EXPECT_EQ(plan.ok(), !objects && name.find("ARENA") == std::string::npos);
    EXPECT_TRUE(!plan.ok() || plan->offsets[1] == 16);
    for (int rank = 1; rank <= 4; ++rank) {
      Problem p = Records({Rec(0, 0, 1), Rec(0, 1, 2)});
      for (Record& r : p.records) {
        r.size = rank == 1   ? Size(4)
                 : rank == 2 ? Size(2, 2)
                 : rank == 3 ? Size(2, 1, 2)
                             : Size(1, 2, 1, 2);
      }
      const bool in_order = name.find("IN_ORDER") != std::string::npos;
      const bool any =
          objects && (name == "objects/NAIVE" || name == "objects/EQUALITY" ||
                      name == "objects/AUTO" || name == "objects/OPTIMAL");
      EXPECT_EQ(Solve(p, name).ok(), rank == 1 || any || (in_order && rank < 4))
          << rank;
    }
  }
  EXPECT_EQ(FindPlanner("offsets/"), nullptr);
}

}  // namespace
}  // namespace mace::memory
