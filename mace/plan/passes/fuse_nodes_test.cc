// FuseNodes: sequences that a device can fuse, in random graphs and in small
// examples.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/passes/fuse_nodes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mace/plan/testing/fake_device.h"

namespace mace {
namespace {

using testing::FakeDevice;
using testing::KernelProperties;
using testing::PlanMaker;
using testing::Random;

std::string OpsOf(const std::vector<FusedNode>& chain) {
  std::string ops;
  for (const FusedNode& link : chain) ops += link.node->op;
  return ops;
}

// Fuses the listed sequences of ops, whose names have one letter each.
void Takes(const std::set<std::string>& chains, FakeDevice* device) {
  device->prepare_fused =
      [chains](
          const std::vector<FusedNode>& chain) -> Result<KernelProperties> {
    EXPECT_EQ(chain[0].previous, -1);
    for (size_t i = 1; i < chain.size(); ++i) {
      // Every value of these graphs has a different shape.
      const auto previous = static_cast<size_t>(chain[i].previous);
      EXPECT_LT(previous, chain[i].node->inputs.size());
      EXPECT_EQ(chain[i].node->inputs[previous].type,
                chain[i - 1].node->outputs[0]);
    }
    if (chains.count(OpsOf(chain)) == 0) return Unsupported("not that one");
    KernelProperties properties;
    properties.variant = "chain of " + OpsOf(chain);
    return properties;
  };
}

// "a b+c d": the names of each step's nodes.
std::string Steps(const Plan& plan) {
  std::string all;
  for (const Step& step : plan.steps) {
    std::string name = plan.graph.nodes[step.node].node.name;
    name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
    all += (all.empty() ? "" : " ") + name;
  }
  return all;
}

// x -> A -> B -> C -> D, each with a constant as its second input.
struct Chain {
  explicit Chain(const std::string& ops) {
    maker.device = &device;
    int at = maker.Input({1});
    for (const char op : ops) {
      const int weight = maker.Constant({++extent});
      at = maker.AddOne(std::string(1, op), {weight, at}, {++extent});
      values.push_back(at);
    }
    maker.Output(at);
  }
  std::string Fuse() {
    EXPECT_TRUE(FuseNodes(maker.plan).ok());
    return Steps(maker.plan);
  }

  FakeDevice device{"CPU"};
  PlanMaker maker;
  std::vector<int> values;
  int64_t extent = 1;
};

TEST(FuseNodes, TheLongestFirst) {
  Chain chain("ABCD");
  Takes({"AB", "ABC", "BCD"}, &chain.device);
  EXPECT_EQ(chain.Fuse(), "n0+n1+n2 n3");
}

TEST(FuseNodes, WhatComesLaterIsTriedToo) {
  Chain chain("ABCDE");
  Takes({"BC", "DE"}, &chain.device);
  EXPECT_EQ(chain.Fuse(), "n0 n1+n2 n3+n4");
}

TEST(FuseNodes, OneChainIsNoLinkOfAnother) {
  Chain chain("ABCC");
  // If the first step of two nodes looked like a node "C", "CC" would match.
  Takes({"BC", "CC", "A+BC", "B+CC"}, &chain.device);
  EXPECT_EQ(chain.Fuse(), "n0 n1+n2 n3");
}

TEST(FuseNodes, AtMostEight) {
  Chain chain("AAAAAAAAAAAA");
  Takes({std::string(8, 'A'), std::string(9, 'A'), std::string(4, 'A')},
        &chain.device);
  EXPECT_EQ(chain.Fuse(), "n0+n1+n2+n3+n4+n5+n6+n7 n8+n9+n10+n11");
}

TEST(FuseNodes, TheLastNodeTakesTheOthersInputsAndNames) {
  Chain chain("ABA");
  Takes({"ABA"}, &chain.device);
  EXPECT_EQ(chain.Fuse(), "n0+n1+n2");
  const Plan& plan = chain.maker.plan;
  const Step& step = plan.steps[0];
  EXPECT_EQ(step.node, 2);
  EXPECT_EQ(step.fused, (std::vector<int>{0, 1}));
  EXPECT_EQ(step.kernel->variant(), "chain of ABA");
  const GraphNode& g = plan.graph.nodes[2];
  EXPECT_EQ(g.node.name, "n0 + n1 + n2");
  EXPECT_EQ(g.node.op, "A+B");
  // The values are input 0, then a weight and an output for each node.
  EXPECT_EQ(g.inputs, (std::vector<int>{1, 0, 3, 5}));
  EXPECT_EQ(g.outputs, (std::vector<int>{6}));
  ASSERT_EQ(g.node.inputs.size(), g.inputs.size());
  for (size_t i = 0; i < g.inputs.size(); ++i) {
    EXPECT_EQ(g.node.inputs[i].type, plan.graph.values[g.inputs[i]].type);
  }
}

TEST(FuseNodes, TheNameOfAKindIsNoOp) {
  Chain chain("AA");
  Takes({"AA"}, &chain.device);
  chain.Fuse();
  EXPECT_EQ(chain.maker.plan.graph.nodes[1].node.op, "A+A");
}

TEST(FuseNodes, WhatOthersReadIsKept) {
  {
    Chain chain("AB");
    Takes({"AB"}, &chain.device);
    chain.maker.Output(chain.values[0]);
    EXPECT_EQ(chain.Fuse(), "n0 n1") << "a graph output";
  }
  {
    Chain chain("AB");
    Takes({"AB"}, &chain.device);
    chain.maker.AddOne("C", {chain.values[0]}, {99});
    EXPECT_EQ(chain.Fuse(), "n0 n1 n2") << "a second reader";
  }
  {
    FakeDevice device("CPU");
    Takes({"AB"}, &device);
    PlanMaker maker;
    maker.device = &device;
    const int a = maker.AddOne("A", {maker.Input({1})}, {2});
    maker.Output(maker.AddOne("B", {a, a}, {3}));
    ASSERT_TRUE(FuseNodes(maker.plan).ok());
    EXPECT_EQ(Steps(maker.plan), "n0 n1") << "a reader that reads it twice";
  }
  {
    FakeDevice device("CPU");
    Takes({"AB"}, &device);
    PlanMaker maker;
    maker.device = &device;
    const std::vector<int> a = maker.Add("A", {maker.Input({1})}, {{2}, {3}});
    maker.Output(maker.AddOne("B", {a[0]}, {4}));
    ASSERT_TRUE(FuseNodes(maker.plan).ok());
    EXPECT_EQ(Steps(maker.plan), "n0 n1") << "a node of two outputs";
  }
}

TEST(FuseNodes, DevicesAreNotMixed) {
  Chain chain("ABC");
  Takes({"AB", "BC", "ABC"}, &chain.device);
  FakeDevice other("GPU");
  chain.maker.plan.steps[0].device = &other;
  EXPECT_EQ(chain.Fuse(), "n0 n1+n2");
  EXPECT_EQ(chain.maker.plan.steps[1].device, &chain.device);
}

TEST(FuseNodes, OtherErrorsEndIt) {
  Chain chain("AB");
  chain.device.prepare_fused =
      [](const std::vector<FusedNode>&) -> Result<KernelProperties> {
    return OutOfResources("full");
  };
  EXPECT_EQ(FuseNodes(chain.maker.plan).code(), Status::MACE_OUT_OF_RESOURCES);
}

// In random graphs, every fused sequence is one that the device takes, and no
// sequence remains that could have been begun or prolonged.
class RandomFusion {
 public:
  explicit RandomFusion(uint32_t seed) : random_(seed) {
    for (const char a : kOps) {
      for (const char b : kOps) {
        const std::string two = {a, b};
        if (!random_.OneIn(3)) continue;
        taken_.insert(two);
        for (const char c : kOps) {
          if (random_.OneIn(2)) taken_.insert(two + c);
        }
      }
    }
    Takes(taken_, &device_);
    maker_.device = &device_;
    MakeGraph();
  }

  void Check() {
    const Graph before = maker_.plan.graph;
    ASSERT_TRUE(FuseNodes(maker_.plan).ok());
    std::set<int> nodes;
    std::set<int> made(before.inputs.begin(), before.inputs.end());
    for (const Step& step : maker_.plan.steps) {
      std::vector<int> chain = step.fused;
      chain.push_back(step.node);
      fused += !step.fused.empty();
      ASSERT_NE(step.kernel, nullptr);
      CheckChain(before, chain);
      for (int n : chain) EXPECT_TRUE(nodes.insert(n).second);
      for (int id : maker_.plan.graph.nodes[step.node].inputs) {
        EXPECT_EQ(made.count(id), 1u) << "value " << id;
      }
      made.insert(before.nodes[step.node].outputs.begin(),
                  before.nodes[step.node].outputs.end());
      chain_of_[chain.front()] = chain;
    }
    EXPECT_EQ(nodes.size(), before.nodes.size());
    for (const auto& [first, chain] : chain_of_) {
      const auto next = chain_of_.find(OnlyReader(before, chain.back()));
      if (next == chain_of_.end() || next->second.size() > 1) continue;
      std::vector<int> longer = chain;
      longer.push_back(next->first);
      EXPECT_EQ(taken_.count(Ops(before, longer)), 0u) << Ops(before, longer);
    }
  }

  int fused = 0;

 private:
  static constexpr char kOps[] = {'A', 'B', 'C'};

  void MakeGraph() {
    std::vector<int> values = {maker_.Input({1})};
    int64_t extent = 1;
    for (int n = random_.Between(1, 14); n > 0; --n) {
      std::vector<int> inputs;
      for (int k = random_.Between(1, 2); k > 0; --k) {
        // Mostly the value made last.
        inputs.push_back(random_.OneIn(4) ? random_.Of(values) : values.back());
      }
      const char op = kOps[random_.Below(3)];
      values.push_back(maker_.AddOne(std::string(1, op), inputs, {++extent}));
      if (random_.OneIn(12)) maker_.Output(values.back());
    }
    maker_.Output(values.back());
  }

  // Returns the only node that reads the output of node `n`, if it reads it
  // once; or -1.
  static int OnlyReader(const Graph& graph, int n) {
    const int value = graph.nodes[n].outputs[0];
    int reader = -1;
    auto reads = std::count(graph.outputs.begin(), graph.outputs.end(), value);
    for (size_t m = 0; m < graph.nodes.size(); ++m) {
      const std::vector<int>& inputs = graph.nodes[m].inputs;
      const auto count = std::count(inputs.begin(), inputs.end(), value);
      if (count > 0) reader = static_cast<int>(m);
      reads += count;
    }
    return reads == 1 ? reader : -1;
  }

  static std::string Ops(const Graph& graph, const std::vector<int>& chain) {
    std::string ops;
    for (int n : chain) ops += graph.nodes[n].node.op;
    return ops;
  }

  void CheckChain(const Graph& graph, const std::vector<int>& chain) const {
    for (size_t i = 0; i + 1 < chain.size(); ++i) {
      EXPECT_EQ(OnlyReader(graph, chain[i]), chain[i + 1]);
    }
    if (chain.size() > 1) {
      EXPECT_EQ(taken_.count(Ops(graph, chain)), 1u) << Ops(graph, chain);
    }
  }

  Random random_;
  std::set<std::string> taken_;
  FakeDevice device_{"CPU"};
  PlanMaker maker_;
  std::map<int, std::vector<int>> chain_of_;  // by its first node
};

TEST(FuseNodes, RandomGraphs) {
  int fused = 0;
  for (uint32_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    RandomFusion fusion(seed);
    fusion.Check();
    fused += fusion.fused;
  }
  EXPECT_GT(fused, 300);
}

}  // namespace
}  // namespace mace
