// MakeOrderProblem: the steps of random plans as plain numbers.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "mace/plan/memory/order.h"
#include "mace/plan/testing/random_plan.h"

namespace mace {
namespace {

using testing::KernelProperties;
using testing::PlanMaker;
using testing::RandomPlan;

// Returns the value whose bytes `value` is: itself, or that of the Reshape that
// writes it.
int Shown(const Graph& graph, int value) {
  for (const GraphNode& g : graph.nodes) {
    if (g.node.op == "Reshape" && g.outputs[0] == value) {
      return Shown(graph, g.inputs[0]);
    }
  }
  return value;
}

TEST(MakeOrderProblem, ViewsAndOutputsNeedNoBytes) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    PlanMaker maker;
    RandomPlan(seed, 12, &maker);
    const Graph& graph = maker.plan.graph;
    const OrderProblem p = MakeOrderProblem(graph, maker.plan.steps);
    ASSERT_EQ(p.num_steps(), graph.nodes.size());
    std::set<int> written, given_out;
    for (int id : graph.outputs) {
      given_out.insert(id);
      given_out.insert(Shown(graph, id));
    }
    for (size_t s = 0; s < graph.nodes.size(); ++s) {
      const GraphNode& g = graph.nodes[s];
      EXPECT_EQ(p.writes[s], g.outputs);
      EXPECT_EQ(p.scratch[s], maker.plan.steps[s].kernel->scratch_bytes());
      std::set<int> reads;
      for (int id : g.inputs) {
        if (id < 0 || graph.values[id].is_constant()) continue;
        reads.insert(id);
        reads.insert(Shown(graph, id));
      }
      EXPECT_EQ(p.reads[s], std::vector<int>(reads.begin(), reads.end()));
      if (g.node.op != "Reshape") {
        written.insert(g.outputs.begin(), g.outputs.end());
      }
    }
    ASSERT_EQ(p.bytes.size(), graph.values.size());
    for (size_t v = 0; v < p.bytes.size(); ++v) {
      const int id = static_cast<int>(v);
      const bool counts = written.count(id) > 0 && given_out.count(id) == 0;
      EXPECT_EQ(p.bytes[v], counts ? Bytes(graph.values[v].type) : 0) << v;
    }
  }
}

TEST(MakeOrderProblem, OnImagesTheKernelSaysWhatIsAView) {
  for (const bool renames : {false, true}) {
    PlanMaker maker;
    KernelProperties properties;
    properties.gives_images = true;
    const int x = maker.AddOne("Gpu", {maker.Input({4})}, {4}, properties);
    properties.renames_only = renames;
    const int y = maker.AddOne("Reshape", {x}, {2, 2}, properties);
    const int z = maker.AddOne("Any", {y}, {4}, properties);
    maker.Output(maker.AddOne("Download", {z}, {4}));
    const OrderProblem p = MakeOrderProblem(maker.plan.graph, maker.plan.steps);
    EXPECT_EQ(p.bytes[x], 16);
    EXPECT_EQ(p.bytes[y], renames ? 0 : 16);
    EXPECT_EQ(p.bytes[z], renames ? 0 : 16);
    EXPECT_EQ(p.reads[2],
              renames ? (std::vector<int>{x, y}) : std::vector<int>{y});
  }
}

TEST(MakeOrderProblem, AViewOfNothingIsNone) {
  PlanMaker maker;
  const int y = maker.AddOne("Reshape", {-1}, {4});
  maker.Output(maker.AddOne("Mix", {y}, {4}));
  const OrderProblem p = MakeOrderProblem(maker.plan.graph, maker.plan.steps);
  EXPECT_EQ(p.bytes[y], 16);
  EXPECT_TRUE(p.reads[0].empty());
}

}  // namespace
}  // namespace mace
