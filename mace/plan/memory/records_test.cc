// MakeRecords: lifetimes as the steps use them, and which overlaps it passes
// on.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/memory/records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "mace/plan/testing/random_plan.h"

namespace mace {
namespace {

using testing::KernelProperties;
using testing::PlanMaker;
using testing::RandomPlan;

constexpr MemorySavings kNone = {false, false, false, false, false, false};

// Returns the steps that use a byte of the group of `root`.
std::vector<int64_t> StepsOf(const Plan& plan, const Storage& s, int root) {
  std::vector<int64_t> steps;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    if (s.elided[i]) continue;
    const GraphNode& g = plan.graph.nodes[plan.steps[i].node];
    bool uses = false;
    for (int id : g.inputs) uses |= id >= 0 && s.root[id] == root;
    for (int id : g.outputs) uses |= s.root[id] == root;
    if (uses) steps.push_back(static_cast<int64_t>(i));
  }
  for (const Plan::Copy& copy : s.copies) {
    if (s.root[copy.value] == root) {
      steps.push_back(static_cast<int64_t>(plan.steps.size()));
    }
  }
  return steps;
}

TEST(Records, OneForEachGroupAndScratch) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    PlanMaker maker;
    RandomPlan(seed, 12, &maker);
    const Plan& plan = maker.plan;
    const Storage s = AssignStorage(
        plan, {false, seed % 2 == 0, seed % 3 == 0, seed % 5 < 3, false});
    const Records records = MakeRecords(plan, s, false);
    size_t count = 0;
    for (size_t v = 0; v < plan.graph.values.size(); ++v) {
      const int id = static_cast<int>(v);
      const std::vector<int64_t> steps = StepsOf(plan, s, id);
      const bool is_record = s.root[v] == id && !steps.empty() &&
                             s.locations[v].kind == Location::kArena;
      ASSERT_EQ(records.of_root[v] >= 0, is_record) << v;
      if (!is_record) continue;
      ++count;
      const memory::Record& r = records.problem.records[records.of_root[v]];
      EXPECT_EQ(r.first, steps.front());
      EXPECT_EQ(r.last, steps.back());
      EXPECT_EQ(r.size.count(), s.bytes[v]);
      EXPECT_EQ(r.alignment, 64);
      EXPECT_EQ(r.name, plan.graph.values[v].name);
      EXPECT_TRUE(r.overlaps.empty());
      EXPECT_FALSE(records.is_scratch[records.of_root[v]]);
    }
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      const int64_t bytes = plan.steps[i].kernel->scratch_bytes();
      ASSERT_EQ(records.of_scratch[i] >= 0, bytes > 0 && !s.elided[i]);
      if (records.of_scratch[i] < 0) continue;
      ++count;
      const memory::Record& r = records.problem.records[records.of_scratch[i]];
      EXPECT_EQ(r.first, static_cast<int64_t>(i));
      EXPECT_EQ(r.last, static_cast<int64_t>(i));
      EXPECT_EQ(r.size.count(), bytes);
      EXPECT_EQ(r.alignment, 64);
      EXPECT_EQ(r.name,
                plan.graph.nodes[plan.steps[i].node].node.name + " (scratch)");
      EXPECT_TRUE(records.is_scratch[records.of_scratch[i]]);
    }
    EXPECT_EQ(records.problem.records.size(), count);
    EXPECT_EQ(records.is_scratch.size(), count);
  }
}

// y = Mix of x (and others), then z = Mix of y. Returns what the record of y
// may overlap.
struct OverlapCase {
  OverlapCase() { x = maker.AddOne("Mix", {maker.Input({4})}, {16}); }
  std::vector<memory::Overlap> Of(const std::vector<int>& inputs,
                                  std::vector<Overlap> overlaps,
                                  const std::vector<int>& later = {},
                                  const MemorySavings& savings = kNone) {
    KernelProperties properties;
    properties.overlaps = std::move(overlaps);
    const int y = maker.AddOne("Mix", inputs, {24}, properties);
    std::vector<int> reads = later;
    reads.push_back(y);
    maker.Output(maker.AddOne("Mix", reads, {4}));
    const Storage s = AssignStorage(maker.plan, savings);
    records = MakeRecords(maker.plan, s, true);
    return records.problem.records[records.of_root[y]].overlaps;
  }
  PlanMaker maker;
  int x;
  Records records;
};

TEST(Records, AnOverlapWithWhatDies) {
  OverlapCase c;
  const auto overlaps = c.Of({c.x}, {{0, 12}});
  ASSERT_EQ(overlaps.size(), 1u);
  EXPECT_EQ(overlaps[0].other, c.records.of_root[c.x]);
  EXPECT_EQ(overlaps[0].safe_distance, 12);
}

TEST(Records, TheFirstOverlapThatIsPossible) {
  OverlapCase c;
  const int dies = c.maker.AddOne("Mix", {0}, {8});
  const int other = c.maker.AddOne("Mix", {0}, {8});
  const auto overlaps =
      c.Of({-1, c.x, dies, other}, {{0, 0}, {1, 0}, {2, 4}, {3, 8}}, {c.x});
  ASSERT_EQ(overlaps.size(), 1u);
  EXPECT_EQ(overlaps[0].other, c.records.of_root[dies]);
  EXPECT_EQ(overlaps[0].safe_distance, 4);
}

TEST(Records, OverlapsThatWouldBeWrong) {
  {
    OverlapCase c;
    EXPECT_TRUE(c.Of({c.x}, {{0, 0}}).empty()) << "exactly in place, or apart";
  }
  {
    OverlapCase c;
    EXPECT_TRUE(c.Of({c.x}, {{0, 4}}, {c.x}).empty()) << "read later";
  }
  {
    OverlapCase c;
    EXPECT_TRUE(c.Of({c.x, c.x}, {{0, 4}}).empty()) << "read twice";
  }
  {
    OverlapCase c;
    EXPECT_TRUE(c.Of({0}, {{0, 4}}).empty()) << "the caller's";
  }
  {
    OverlapCase c;
    const int view = c.maker.AddOne("Reshape", {c.x}, {4, 4});
    EXPECT_TRUE(
        c.Of({view, c.x}, {{0, 4}}, {}, {false, true, false, false, false})
            .empty())
        << "read through a view, too";
  }
  {
    OverlapCase c;
    const int part = c.maker.AddOne("Slice", {c.x}, {8}, {},
                                    {{"starts", std::vector<int64_t>{0}},
                                     {"ends", std::vector<int64_t>{8}}});
    EXPECT_TRUE(
        c.Of({part}, {{0, 4}}, {}, {false, true, false, false, false}).empty())
        << "a part of its record";
  }
}

TEST(Records, AWholeViewMayBeOverlapped) {
  OverlapCase c;
  const int view = c.maker.AddOne("Reshape", {c.x}, {4, 4});
  EXPECT_EQ(
      c.Of({view}, {{0, 4}}, {}, {false, true, false, false, false}).size(),
      1u);
}

TEST(Records, OnlyWhatBeginsThereMayOverlap) {
  // y is part of the output of a Concat whose other part is written before.
  PlanMaker maker;
  KernelProperties properties;
  properties.overlaps = {{0, 4}};
  const int x = maker.AddOne("Mix", {maker.Input({4})}, {16});
  const int first = maker.AddOne("Mix", {0}, {16});
  const int y = maker.AddOne("Mix", {x}, {16}, properties);
  const int joined =
      maker.AddOne("Concat", {y, first}, {32}, {}, {{"axis", int64_t{0}}});
  maker.Output(maker.AddOne("Mix", {joined}, {4}));
  const Storage s =
      AssignStorage(maker.plan, {false, false, false, true, false});
  const Records records = MakeRecords(maker.plan, s, true);
  for (const memory::Record& r : records.problem.records) {
    EXPECT_TRUE(r.overlaps.empty());
  }
}

}  // namespace
}  // namespace mace
