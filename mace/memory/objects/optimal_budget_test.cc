// objects/AUTO and OPTIMAL with limits, capacities, and on networks.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "mace/memory/objects/objects.h"
#include "mace/memory/planners.h"
#include "mace/memory/problem/bounds.h"
#include "mace/memory/problem/validate.h"
#include "mace/memory/testing/brute_force.h"
#include "mace/memory/testing/conformance_nets.h"

namespace mace::memory {
namespace {

// Images or bytes whose smallest plan takes many nodes to find.
Problem HardProblem(int n, int rank) {
  std::mt19937 rng(static_cast<uint32_t>(n));
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(rng);
  };
  Problem p;
  for (int i = 0; i < n; ++i) {
    Record r;
    r.size = rank == 1   ? Size(pick(1, 300))
             : rank == 2 ? Size(pick(1, 30), pick(1, 30))
             : rank == 3 ? Size(pick(1, 9), pick(1, 9), pick(1, 9))
                         : Size(pick(1, 3), pick(1, 9), pick(1, 9), 2);
    r.first = pick(0, n);
    r.last = r.first + pick(0, n / 4);
    p.records.push_back(r);
  }
  return p;
}

Certificate Of(const Problem& p, const char* strategy,
               const Options& options = {}) {
  const Result<Plan> plan = Solve(p, strategy, options);
  EXPECT_TRUE(plan.ok()) << plan.status().information();
  const Status valid = Validate(p, *plan);
  EXPECT_TRUE(valid.ok()) << valid.information();
  return plan->certificate;
}

TEST(ObjectsOptimalTest, EachStrategyEndsAtItsOwnLimit) {
  for (const int rank : {1, 2}) {
    const Problem p = HardProblem(90, rank);
    const auto nodes = [&](const char* strategy, int64_t most) {
      Options options;
      options.max_nodes = most;
      const Certificate c = Of(p, strategy, options);
      EXPECT_EQ(c.status, Certificate::kFeasible);
      return c.nodes;
    };
    EXPECT_EQ(nodes("objects/AUTO", Options::kOwnLimit), 2000);
    EXPECT_EQ(nodes("objects/AUTO", 300), 300);
    EXPECT_EQ(nodes("objects/AUTO", 2500), 2500);
    EXPECT_EQ(nodes("objects/OPTIMAL", 2500), 2500);
  }
}

TEST(ObjectsOptimalTest, NeverWorseThanAnyListedStrategy) {
  std::mt19937 rng(1);
  std::map<std::string, int> by;
  for (int round = 0; round < 600; ++round) {
    SCOPED_TRACE(round);
    const Problem p = round % 2 == 0
                          ? RandomSmallProblem(&rng, 30)
                          : HardProblem(5 + round % 30, 2 + round % 3);
    if (p.records.empty()) continue;
    int64_t least = INT64_MAX;
    std::string which;
    for (const Planner& planner : Planners()) {
      if (std::strncmp(planner.name, "objects/", 8) != 0 ||
          std::strcmp(planner.name, "objects/OPTIMAL") == 0 ||
          std::strcmp(planner.name, "objects/AUTO") == 0 ||
          planner.max_rank < p.records[0].size.rank) {
        continue;
      }
      const int64_t total = Of(p, planner.name).total;
      if (total < least) {
        least = total;
        which = planner.name;
      }
    }
    ++by[which];
    // With one node, the search finds nothing.
    Options options;
    options.max_nodes = 1;
    EXPECT_EQ(Of(p, "objects/AUTO", options).total, least) << which;
    options.max_nodes = 200;
    EXPECT_LE(Of(p, "objects/AUTO", options).total, least);
  }
  for (const char* name :
       {"objects/EQUALITY", "objects/GREEDY_IN_ORDER", "objects/GROW_IN_ORDER",
        "objects/GREEDY_BY_BREADTH", "objects/GREEDY_BY_SIZE"}) {
    EXPECT_GT(by[name], 10) << name;
  }
}

TEST(ObjectsOptimalTest, AnyPlanWithinTheCapacityWillDo) {
  int fewer = 0;
  for (int n = 6; n < 40; ++n) {
    SCOPED_TRACE(n);
    const Problem p = HardProblem(n, 1 + n % 2);
    Options options;
    options.max_nodes = 3000;
    const Certificate best = Of(p, "objects/OPTIMAL", options);
    for (int more = 0; more < 30; more += 3) {
      Options with = options;
      with.capacity = best.total + more;
      const Certificate c = Of(p, "objects/OPTIMAL", with);
      EXPECT_LE(c.total, with.capacity);
      EXPECT_LE(c.nodes, best.nodes);
      EXPECT_TRUE(c.status == Certificate::kOptimal ||
                  c.status == Certificate::kFeasible);
      fewer += c.nodes < best.nodes;
    }
    Options plenty = options;
    plenty.capacity = Of(p, "objects/NAIVE").total;
    EXPECT_EQ(Of(p, "objects/OPTIMAL", plenty).nodes, 0);
    if (best.status != Certificate::kOptimal) continue;
    options.capacity = best.total - 1;
    EXPECT_EQ(Of(p, "objects/OPTIMAL", options).status,
              Certificate::kInfeasible);
  }
  EXPECT_GT(fewer, 100);
}

TEST(ObjectsOptimalTest, StopsWhenItsCallerWantsIt) {
  const std::atomic<bool> cancel = true;
  Options options;
  options.cancel = &cancel;
  const Problem p = HardProblem(40, 1);
  const Certificate c = Of(p, "objects/OPTIMAL", options);
  EXPECT_EQ(c.nodes, 0);
  EXPECT_EQ(c.status, Certificate::kFeasible);
  // There is no time for a flow either, so the best heuristic remains.
  int64_t least = INT64_MAX;
  for (const char* name : {"objects/EQUALITY", "objects/GREEDY_IN_ORDER",
                           "objects/GROW_IN_ORDER", "objects/GREEDY_BEST"}) {
    least = std::min(least, Of(p, name).total);
  }
  EXPECT_EQ(c.total, least);
}

// The search does not support steps that run in parallel.
TEST(ObjectsOptimalTest, WhereStepsRunInParallelNothingIsSearched) {
  const Problem p = HardProblem(30, 2);
  const std::vector<std::vector<int32_t>> nobody(30);
  Options options;
  EXPECT_GT(Of(p, "objects/AUTO", options).nodes, 0);
  options.may_follow = &nobody;
  EXPECT_EQ(Of(p, "objects/AUTO", options).nodes, 0);
}

TEST(ObjectsOptimalTest, OfManyRecordsNoneAreSearched) {
  Problem p = HardProblem(40, 2);
  for (int64_t i = 0; p.records.size() <= 2048; ++i) {
    Record r = p.records[0];
    r.first = r.last = 1000 + i;
    p.records.push_back(r);
  }
  EXPECT_EQ(Of(p, "objects/AUTO").nodes, 0);
  p.records.pop_back();
  Options options;
  options.max_nodes = 20;
  EXPECT_GT(Of(p, "objects/AUTO", options).nodes, 0);
}

// The MiB of the best plans of published networks, from the file.
TEST(ObjectsOptimalTest, PublishedNetworks) {
  const Json file = ConformanceFile("nets_records.json");
  if (file.is_null()) GTEST_SKIP() << kNoConformanceFiles;
  const std::map<std::string, double> most = {
      {"mobilenet_v1_1.0_224", 4.594},
      {"mobilenet_v2_1.0_224", 6.699},
      {"deeplabv3_257_mv_gpu", 8.978},
      {"inception_v3_299", 10.112},
      {"posenet_mobilenet_v1_075_353x257", 6.347},
      {"blazeface_front_128", 1.338}};
  size_t seen = 0;
  for (const Json& net : file["nets"]) {
    const auto goal = most.find(net["name"]);
    if (goal == most.end()) continue;
    ++seen;
    const Certificate c = Of(NetRecords(net), "objects/AUTO");
    EXPECT_LT(static_cast<double>(c.total) / (1 << 20), goal->second + 0.0005)
        << net["name"];
    EXPECT_TRUE(c.status == Certificate::kOptimal ||
                net["name"] == "inception_v3_299")
        << net["name"];
  }
  EXPECT_EQ(seen, most.size());
}

// How good AUTO's plans are on problems that it does not finish: no worse than
// when this was written.
TEST(ObjectsOptimalTest, TotalsOfHardProblemsStayLow) {
  const auto sum = [&](int rank) {
    int64_t total = 0;
    for (int n = 20; n < 80; n += 3) {
      Options options;
      options.max_nodes = 1500;
      total += Of(HardProblem(n, rank), "objects/AUTO", options).total;
    }
    return total;
  };
  EXPECT_LE(sum(1), 40080);
  EXPECT_LE(sum(2), 84289);
  EXPECT_LE(sum(4), 40534);
}

}  // namespace
}  // namespace mace::memory
