// AssignMemory: random plans compute the right results in the memory that they
// are given.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/memory/assign_memory.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mace/memory/problem/bounds.h"
#include "mace/memory/problem/validate.h"
#include "mace/memory/strategy.h"
#include "mace/plan/memory/memory_strategies.h"
#include "mace/plan/testing/random_plan.h"
#include "mace/plan/testing/simulate.h"
#include "mace/plan/types/plan_options.h"

namespace mace {
namespace {

using testing::KernelProperties;
using testing::PlanMaker;
using testing::Random;
using testing::RandomPlan;
using testing::RunApart;
using testing::RunPlaced;
using testing::Words;

constexpr MemorySavings kNone = {false, false, false, false, false, false};

// Returns the contents of values after each node, before memory is assigned.
std::vector<Words> Expected(const Plan& plan) {
  std::vector<KernelPtr> kernels;
  for (const Step& step : plan.steps) {
    KernelProperties properties;
    properties.scratch_bytes = step.kernel->scratch_bytes();
    properties.overlaps = step.kernel->overlaps();
    kernels.push_back(std::make_unique<testing::FakeKernel>(properties));
  }
  return RunApart(plan.graph, kernels);
}

void ExpectConsistent(const Plan& plan) {
  const Status valid = memory::Validate(plan.memory_problem, plan.memory_plan);
  EXPECT_TRUE(valid.ok()) << valid.information();
  EXPECT_EQ(plan.arena_bytes, plan.memory_plan.certificate.total);
  EXPECT_EQ(plan.scratch_records.size(), plan.memory_problem.records.size());
  const auto num_steps = static_cast<int64_t>(plan.steps.size());
  for (const memory::Record& r : plan.memory_problem.records) {
    EXPECT_LE(r.first, r.last);
    EXPECT_LE(r.last, num_steps);
  }
  for (size_t i = 0; i < plan.savings.size(); ++i) {
    EXPECT_GE(plan.savings[i].before_bytes, plan.savings[i].after_bytes);
    if (i == 0) continue;
    EXPECT_EQ(plan.savings[i].before_bytes, plan.savings[i - 1].after_bytes);
  }
}

TEST(AssignMemory, EverySavingKeepsTheResults) {
  const std::vector<std::string> strategies = {
      "AUTO", "offsets/AUTO",          "NAIVE", memory::kPreserveAll,
      "AUTO", "offsets/GREEDY_BY_SIZE"};
  std::vector<int> kept(6);
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    PlanMaker maker;
    RandomPlan(seed, 4 + static_cast<int>(seed % 14), &maker);
    const std::vector<Words> want = Expected(maker.plan);
    PlanOptions options;
    options.memory_strategy = strategies[seed % strategies.size()];
    const uint32_t bits = seed % 2 == 0 ? 63 : seed / 2 % 64;
    options.savings = {(bits & 1) != 0, (bits & 2) != 0,  (bits & 4) != 0,
                       (bits & 8) != 0, (bits & 16) != 0, (bits & 32) != 0};
    const Status status = AssignMemory(maker.plan, options);
    ASSERT_TRUE(status.ok()) << status.information();
    ExpectConsistent(maker.plan);
    RunPlaced(maker.plan, want);
    for (const MemorySaving& s : maker.plan.savings) {
      const std::string name = s.name;
      const size_t which = name == "order"      ? 0
                           : name == "views"    ? 1
                           : name == "in-place" ? 2
                           : name == "concat"   ? 3
                           : name == "overlap"  ? 4
                                                : 5;
      EXPECT_NE(bits >> which & 1, 0u) << name << " was not asked for";
      kept[which] += s.before_bytes > s.after_bytes;
    }
    if (HasFailure()) break;
  }
  for (int count : kept) EXPECT_GT(count, 5);
}

TEST(AssignMemory, MoreSavingsNeedNoMore) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    int64_t bound[2];
    for (const bool all : {false, true}) {
      PlanMaker maker;
      RandomPlan(seed, 14, &maker);
      PlanOptions options;
      if (!all) options.savings = kNone;
      ASSERT_TRUE(AssignMemory(maker.plan, options).ok());
      bound[all] = maker.plan.memory_plan.certificate.lower_bound;
      EXPECT_EQ(maker.plan.savings.empty() && !all, !all);
    }
    EXPECT_LE(bound[1], bound[0]);
  }
}

// Together they save what lies between the bound of the plan without them and
// its bound in the end, whatever the order costs before the others set in.
TEST(AssignMemory, SavingsAddUpToWhatIsSaved) {
  int orders = 0, idle_orders = 0;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    int64_t bound[2];
    int64_t saved = 0;
    for (const bool all : {false, true}) {
      PlanMaker maker;
      RandomPlan(seed, 14, &maker);
      PlanOptions options;
      if (!all) options.savings = kNone;
      ASSERT_TRUE(AssignMemory(maker.plan, options).ok());
      bound[all] = memory::OffsetsLowerBound(maker.plan.memory_problem).bytes;
      saved = 0;
      for (const MemorySaving& s : maker.plan.savings) {
        saved += s.before_bytes - s.after_bytes;
        if (s.name != std::string("order")) continue;
        ++orders;
        idle_orders += s.before_bytes == s.after_bytes;
      }
    }
    EXPECT_EQ(saved, bound[0] - bound[1]);
  }
  EXPECT_GT(orders, 100);
  EXPECT_GT(idle_orders, 5) << "those that pay with other savings only";
}

// In a plan that keeps all tensors, none overlap at any time, except those that
// only rename bytes.
TEST(AssignMemory, PreserveAllKeepsEveryTensor) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    PlanMaker maker;
    RandomPlan(seed, 14, &maker);
    const std::vector<Words> want = Expected(maker.plan);
    PlanOptions options;
    options.memory_strategy = memory::kPreserveAll;
    ASSERT_TRUE(AssignMemory(maker.plan, options).ok());
    memory::Problem forever = maker.plan.memory_problem;
    for (memory::Record& r : forever.records) {
      r.first = 0;
      EXPECT_TRUE(r.overlaps.empty());
    }
    EXPECT_TRUE(memory::Validate(forever, maker.plan.memory_plan).ok());
  }
}

// x -> a -> b -> c, each of 64 elements.
PlanMaker ThreeInPlace() {
  PlanMaker maker;
  KernelProperties properties;
  properties.overlaps = {{0, 0}};
  int at = maker.Input({64});
  for (int i = 0; i < 3; ++i) at = maker.AddOne("Mix", {at}, {64}, properties);
  maker.Output(maker.AddOne("Mix", {at}, {64}, properties));
  return maker;
}

TEST(AssignMemory, AChainInPlaceLivesInTheCallersOutput) {
  PlanMaker maker = ThreeInPlace();
  ASSERT_TRUE(AssignMemory(maker.plan, PlanOptions()).ok());
  EXPECT_EQ(maker.plan.arena_bytes, 0);
  ASSERT_EQ(maker.plan.savings.size(), 5u);
  EXPECT_EQ(maker.plan.savings[0].name, std::string("views"));
  EXPECT_EQ(maker.plan.savings[1].name, std::string("in-place"));
  EXPECT_EQ(maker.plan.savings[1].before_bytes, 512);
  EXPECT_EQ(maker.plan.savings[1].after_bytes, 0);

  PlanMaker plain = ThreeInPlace();
  PlanOptions options;
  options.savings = kNone;
  ASSERT_TRUE(AssignMemory(plain.plan, options).ok());
  EXPECT_EQ(plain.plan.arena_bytes, 512);
  EXPECT_TRUE(plain.plan.savings.empty());
  EXPECT_EQ(plain.plan.order_search.end, OrderSearch::kOff);
}

TEST(AssignMemory, OverlapsAreForPlannersThatKnowThem) {
  KernelProperties shifted;
  shifted.overlaps = {{0, 64}};
  for (const char* strategy : {"AUTO", "ARENA"}) {
    PlanMaker maker;
    const int a = maker.AddOne("Mix", {maker.Input({8})}, {256});
    const int b = maker.AddOne("Mix", {a}, {256}, shifted);
    maker.Output(maker.AddOne("Mix", {b}, {8}));
    PlanOptions options;
    options.memory_strategy = strategy;
    ASSERT_TRUE(AssignMemory(maker.plan, options).ok());
    const bool knows = std::string(strategy) == "AUTO";
    EXPECT_EQ(maker.plan.arena_bytes, knows ? 1024 + 64 : 2048) << strategy;
  }
}

TEST(AssignMemory, AnOverlapThatSavesNothingIsLeftOut) {
  KernelProperties shifted;
  shifted.overlaps = {{0, 64}};
  PlanMaker maker;
  // `b` is smaller than `a`, and later steps need far more.
  const int a = maker.AddOne("Mix", {maker.Input({8})}, {32});
  const int b = maker.AddOne("Mix", {a}, {16}, shifted);
  const int c = maker.AddOne("Mix", {b}, {1024});
  maker.Output(maker.AddOne("Mix", {c}, {8}));
  ASSERT_TRUE(AssignMemory(maker.plan, PlanOptions()).ok());
  for (const memory::Record& r : maker.plan.memory_problem.records) {
    EXPECT_TRUE(r.overlaps.empty());
  }
}

TEST(AssignMemory, EmbeddedPlans) {
  const auto make = [] {
    PlanMaker maker;
    const int a = maker.AddOne("Mix", {maker.Input({16})}, {16});
    const int b = maker.AddOne("Mix", {a}, {32});
    maker.Output(maker.AddOne("Mix", {a, b}, {16}));
    return maker;
  };
  PlanMaker first = make();
  ASSERT_TRUE(AssignMemory(first.plan, PlanOptions()).ok());
  EXPECT_FALSE(first.plan.used_embedded_plan);
  ASSERT_EQ(first.plan.memory_plan.offsets.size(), 2u);
  ASSERT_EQ(first.plan.arena_bytes, 192);

  PlanOptions options;
  options.embedded_plan = {memory::HashOf(first.plan.memory_problem),
                           first.plan.memory_plan.certificate,
                           {128, 0}};
  {
    PlanMaker maker = make();
    ASSERT_TRUE(AssignMemory(maker.plan, options).ok());
    EXPECT_TRUE(maker.plan.used_embedded_plan);
    EXPECT_EQ(maker.plan.memory_plan.offsets, options.embedded_plan.offsets);
  }
  {  // The missing offset is planned around the given one.
    PlanMaker maker = make();
    options.embedded_plan.offsets = {64, -1};
    ASSERT_TRUE(AssignMemory(maker.plan, options).ok());
    EXPECT_FALSE(maker.plan.used_embedded_plan);
    EXPECT_EQ(maker.plan.memory_plan.offsets[0], 64);
    ExpectConsistent(maker.plan);
  }
  // A plan that is wrong, or for other records, is ignored.
  const auto is_ignored = [&](memory::EmbeddedPlan embedded) {
    PlanMaker maker = make();
    options.embedded_plan = std::move(embedded);
    EXPECT_TRUE(AssignMemory(maker.plan, options).ok());
    EXPECT_FALSE(maker.plan.used_embedded_plan);
    EXPECT_EQ(maker.plan.memory_plan.offsets, first.plan.memory_plan.offsets);
  };
  memory::EmbeddedPlan embedded = options.embedded_plan;
  embedded.offsets = {0, 0};
  is_ignored(embedded);
  for (const int64_t misplaced : {-2, 1, 65}) {
    embedded.offsets = {misplaced, -1};
    is_ignored(embedded);
  }
  embedded.offsets = {64, -1, 0};
  is_ignored(embedded);
  embedded.offsets = {64, -1};
  embedded.hash += 1;
  is_ignored(embedded);
}

TEST(AssignMemory, NamesOfStrategies) {
  for (const char* name : {"AUTO", "offsets/AUTO", "PRESERVE_ALL", "NAIVE"}) {
    EXPECT_TRUE(CheckMemoryStrategy(name).ok()) << name;
  }
  for (const char* name : {"", "offsets/", "auto", "OFFSETS/AUTO"}) {
    const Status status = CheckMemoryStrategy(name);
    EXPECT_EQ(status.code(), Status::MACE_INVALID_ARGS) << name;
    EXPECT_NE(status.information().find(std::string("'") + name + "'"),
              std::string::npos);
    EXPECT_NE(status.information().find("PRESERVE_ALL"), std::string::npos);
    EXPECT_NE(status.information().find(", GREEDY_BY_SIZE"), std::string::npos);
    PlanMaker maker = ThreeInPlace();
    PlanOptions options;
    options.memory_strategy = name;
    EXPECT_EQ(AssignMemory(maker.plan, options).information(),
              status.information());
  }
}

}  // namespace
}  // namespace mace
