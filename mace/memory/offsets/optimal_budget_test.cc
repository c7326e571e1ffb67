// AUTO, OPTIMAL and SKYLINE with limits, capacities and constraints.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "mace/memory/offsets/greedy.h"
#include "mace/memory/offsets/optimal.h"
#include "mace/memory/offsets/search_instance.h"
#include "mace/memory/planners.h"
#include "mace/memory/problem/bounds.h"
#include "mace/memory/testing/brute_force.h"
#include "mace/memory/testing/conformance_nets.h"

namespace mace::memory {
namespace {

TEST(OffsetsConstrained, OptimalAgreesWithAllOffsets) {
  std::mt19937 rng(1);
  int optimal = 0, feasible = 0;
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomConstrainedProblem(&rng);
    const int64_t least = TryAllOffsets(p, 80).Solve();
    const Result<Plan> plan = Solve(p, "offsets/OPTIMAL");
    ASSERT_TRUE(plan.ok()) << plan.status().information();
    ASSERT_TRUE(Validate(p, *plan).ok()) << Validate(p, *plan).information();
    const Certificate& c = plan->certificate;
    ASSERT_GE(c.total, least);
    ASSERT_LE(c.lower_bound, least);
    // If the search represents an overlap by a smaller one, it may miss the
    // smallest plan, but does not claim a proof.
    ASSERT_TRUE(c.total == least || MakeSearchInstance(p).narrowed);
    if (c.status == Certificate::kOptimal) {
      ASSERT_EQ(c.total, least);
      ++optimal;
    } else {
      ++feasible;
    }
  }
  EXPECT_GT(optimal, 2500);
  EXPECT_GT(feasible, 10);
}

// Sizes that exceed 16 bits, and 32 bits, in units.
TEST(OffsetsOptimalTest, LargeSizesAgreeWithBruteForce) {
  std::mt19937 rng(2);
  int searched = 0;
  for (int round = 0; round < 600; ++round) {
    SCOPED_TRACE(round);
    Problem p = RandomSmallProblem(&rng, 7);
    const int64_t scale = round % 3 == 0 ? 60 : round % 3 == 1 ? 4001 : 2000003;
    for (Record& r : p.records) {
      r.alignment = 1;
      r.size =
          r.size.extent[0] % 31 * scale + 1 + static_cast<int64_t>(rng() % 3);
    }
    const int64_t least = LeastTotal(p);
    const Result<Plan> plan = Solve(p, "offsets/OPTIMAL");
    ASSERT_EQ(Validate(p, *plan).information(), "");
    ASSERT_EQ(plan->certificate.total, least);
    searched += plan->certificate.nodes > 0;
    // If no type of the search is wide enough, the heuristics remain.
    for (Record& r : p.records) r.size = r.size.extent[0] << 24 | 1;
    const Result<Plan> huge = Solve(p, "offsets/OPTIMAL");
    ASSERT_EQ(Validate(p, *huge).information(), "");
    if (OffsetsLowerBound(p).bytes > int64_t{1} << 30) {
      EXPECT_EQ(huge->certificate.nodes, 0);
    }
  }
  EXPECT_GT(searched, 5);
}

// Records whose smallest plan takes very many nodes to find.
Problem HardProblem(int n) {
  std::mt19937 rng(static_cast<uint32_t>(n));
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(rng);
  };
  Problem p;
  for (int i = 0; i < n; ++i) {
    Record r;
    r.size = pick(1, 300);
    r.first = pick(0, n / 2);
    r.last = r.first + pick(0, n / 4);
    r.alignment = int64_t{1} << pick(0, 6);
    p.records.push_back(r);
  }
  return p;
}

TEST(OffsetsOptimalTest, EachStrategyEndsAtItsOwnLimit) {
  const Problem p = HardProblem(60);
  const auto nodes = [&](const char* strategy, int64_t most) {
    Options options;
    options.max_nodes = most;
    const Result<Plan> plan = Solve(p, strategy, options);
    EXPECT_NE(plan->certificate.status, Certificate::kOptimal);
    return plan->certificate.nodes;
  };
  EXPECT_EQ(nodes("offsets/AUTO", Options::kOwnLimit), 20000);
  EXPECT_EQ(nodes("offsets/AUTO", 500), 500);
  EXPECT_EQ(nodes("offsets/AUTO", 30000), 30000);
  EXPECT_EQ(nodes("offsets/OPTIMAL", 30000), 30000);
  // SKYLINE uses the nodes that it is given, but never more than its own limit.
  const int64_t own = nodes("offsets/SKYLINE", Options::kOwnLimit);
  EXPECT_LE(own, 2500);
  EXPECT_GT(own, 60);
  EXPECT_EQ(nodes("offsets/SKYLINE", 100), 100);
  EXPECT_EQ(nodes("offsets/SKYLINE", 100000), own);
  EXPECT_EQ(nodes("offsets/SKYLINE", 0), own);
}

TEST(OffsetsOptimalTest, NeverWorseThanAnyListedStrategy) {
  std::mt19937 rng(3);
  int by[4] = {0, 0, 0, 0};
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    Problem p = RandomSmallProblem(&rng, 30);
    const bool constrained = round % 4 == 3;
    if (constrained) {
      for (Record& r : p.records) {
        if (rng() % 5 == 0) r.fixed_offset = AlignUp(rng() % 50, r.alignment);
      }
      p.fixed_may_overlap = true;
    }
    const char* const names[] = {"offsets/GREEDY_BY_SIZE",
                                 "offsets/TFLM_GREEDY", "offsets/NAIVE",
                                 "offsets/ARENA"};
    int64_t least = INT64_MAX;
    int which = 0;
    for (int k = 0; k < (constrained ? 3 : 4); ++k) {
      const int64_t total = Solve(p, names[k])->certificate.total;
      if (total < least) {
        least = total;
        which = k;
      }
    }
    ++by[which];
    // With one node, the search finds nothing.
    Options options;
    options.max_nodes = 1;
    EXPECT_EQ(Solve(p, "offsets/AUTO", options)->certificate.total, least);
    options.max_nodes = 300;
    EXPECT_LE(Solve(p, "offsets/AUTO", options)->certificate.total, least);
  }
  for (int k : {0, 1, 3}) EXPECT_GT(by[k], 3) << k;
}

TEST(OffsetsOptimalTest, OfManyRecordsNoneAreSearched) {
  Problem p = HardProblem(60);
  while (p.records.size() <= 4096) p.records.push_back(p.records[0]);
  for (size_t i = 60; i < p.records.size(); ++i) {
    p.records[i].first = p.records[i].last = 1000 + static_cast<int64_t>(i);
  }
  const Result<Plan> plan = Solve(p, "offsets/AUTO");
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->certificate.nodes, 0);
  EXPECT_EQ(plan->certificate.status, Certificate::kFeasible);
  p.records.pop_back();
  EXPECT_GT(Solve(p, "offsets/AUTO")->certificate.nodes, 0);
}

TEST(OffsetsOptimalTest, AnyPlanWithinTheCapacityWillDo) {
  std::mt19937 rng(4);
  int spared = 0, infeasible = 0;
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomSmallProblem(&rng, 8);
    const int64_t least = LeastTotal(p);
    const int64_t nodes = Solve(p, "offsets/OPTIMAL")->certificate.nodes;
    for (const char* strategy :
         {"offsets/OPTIMAL", "offsets/AUTO", "offsets/SKYLINE"}) {
      for (int64_t capacity = least - 1; capacity < least + 3; ++capacity) {
        if (capacity < 1) continue;
        Options options;
        options.capacity = capacity;
        const Certificate c = Solve(p, strategy, options)->certificate;
        const bool thorough = std::string(strategy) != "offsets/SKYLINE";
        if (capacity < least) {
          EXPECT_EQ(c.status == Certificate::kInfeasible,
                    c.lower_bound > capacity);
          EXPECT_TRUE(!thorough || c.status == Certificate::kInfeasible);
          ++infeasible;
        } else {
          EXPECT_TRUE(!thorough || c.total <= capacity);
          EXPECT_EQ(c.status == Certificate::kUnknown, c.total > capacity);
        }
      }
      Options options;
      options.capacity = least + 1000;
      EXPECT_LE(Solve(p, strategy, options)->certificate.nodes, nodes);
    }
    Options plenty;
    plenty.capacity = Solve(p, "offsets/GREEDY_BY_SIZE")->certificate.total;
    const Certificate c = Solve(p, "offsets/OPTIMAL", plenty)->certificate;
    EXPECT_EQ(c.nodes, 0) << "what is there fits";
    spared += nodes > 0;
  }
  EXPECT_GT(spared, 20);
  EXPECT_GT(infeasible, 500);
}

// For the networks of the file, every plan meets its bound.
TEST(OffsetsOptimalTest, PublishedNetworksMeetTheirBound) {
  const Json file = ConformanceFile("nets_records.json");
  if (file.is_null()) GTEST_SKIP() << kNoConformanceFiles;
  for (const Json& net : file["nets"]) {
    for (const char* strategy : {"offsets/AUTO", "offsets/SKYLINE"}) {
      const Result<Plan> plan = Solve(NetRecords(net), strategy);
      EXPECT_EQ(plan->certificate.total, net["lower_bound_offsets"])
          << net["name"];
      EXPECT_EQ(plan->certificate.status, Certificate::kOptimal);
    }
  }
}

// How good the plans of AUTO and SKYLINE are on problems that they do not
// finish: no worse than when this was written.
TEST(OffsetsOptimalTest, TotalsOfHardProblemsStayLow) {
  int64_t by_auto = 0, skyline = 0, nodes = 0;
  for (int n = 20; n < 80; n += 2) {
    const Problem p = HardProblem(n);
    Options options;
    options.max_nodes = 3000;
    const Certificate c = Solve(p, "offsets/AUTO", options)->certificate;
    by_auto += c.total;
    nodes += c.nodes;
    const Certificate s = Solve(p, "offsets/SKYLINE", options)->certificate;
    skyline += s.total;
    nodes += s.nodes;
  }
  EXPECT_LE(by_auto, 88203);
  EXPECT_LE(skyline, 88736);
  EXPECT_LE(nodes, 105579 + 1000);
}

}  // namespace
}  // namespace mace::memory
