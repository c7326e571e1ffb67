// MakePlan: which stages run for which options, and in what order.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/make_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mace/memory/strategy.h"
#include "mace/plan/testing/fake_device.h"

namespace mace {
namespace {

using testing::FakeDevice;
using testing::KernelProperties;
using testing::PlanMaker;

// x -> Relu -> Relu -> y, and a node that nothing needs.
struct Fixture {
  Fixture() {
    const int x = maker.Input({8});
    a = maker.AddOne("Eltwise", {x, x}, {8}, {},
                     {{"type", std::string("SUM")}});
    b = maker.AddOne("Eltwise", {a, x}, {8}, {},
                     {{"type", std::string("PROD")}});
    maker.AddOne("Eltwise", {x, x}, {8}, {}, {{"type", std::string("MAX")}});
    maker.Output(b);
    options.devices = {&cpu};
    cpu.prepare_fused = [](const std::vector<FusedNode>&) {
      return KernelProperties();
    };
  }
  Result<std::unique_ptr<Plan>> Make() {
    return MakePlan(std::move(maker.plan.graph), declared, options);
  }

  FakeDevice cpu{"CPU"}, gpu{"GPU"};
  PlanMaker maker;
  int a = -1, b = -1;
  std::map<int, TensorType> declared;
  PlanOptions options;
};

TEST(MakePlan, WhatNothingNeedsIsNotPrepared) {
  Fixture f;
  std::vector<std::string> prepared;
  f.cpu.prepare = [&](const Node& node) {
    prepared.push_back(node.name);
    return KernelProperties();
  };
  ASSERT_TRUE(f.Make().ok());
  EXPECT_EQ(prepared, (std::vector<std::string>{"n0", "n1"}));
  EXPECT_EQ(f.cpu.finished, 1);
}

TEST(MakePlan, NodesAreFusedUnlessAllTensorsAreWanted) {
  for (const bool all : {false, true}) {
    Fixture f;
    if (all) f.options.memory_strategy = memory::kPreserveAll;
    const auto plan = f.Make();
    ASSERT_TRUE(plan.ok()) << plan.status().information();
    EXPECT_EQ((*plan)->steps.size(), all ? 2u : 1u);
    EXPECT_EQ((*plan)->locations[f.a].kind,
              all ? Location::kArena : Location::kUnused);
    EXPECT_EQ((*plan)->locations[f.b].kind, Location::kOutput);
  }
}

TEST(MakePlan, TypesAreThoseOfTheFile) {
  Fixture right;
  right.declared[right.a] = {DataType::kF32, {8}};
  EXPECT_TRUE(right.Make().ok());
  Fixture wrong;
  wrong.declared[wrong.a] = {DataType::kF32, {4, 2}};
  EXPECT_EQ(wrong.Make().status().information(),
            "Eltwise 'n0': the file says that 'v1' is f32[4,2], it is f32[8]");
  EXPECT_EQ(wrong.cpu.finished, 0);
}

TEST(MakePlan, EveryDeviceIsFinished) {
  Fixture f;
  f.options.devices = {&f.gpu, &f.cpu};
  const auto plan = f.Make();
  ASSERT_TRUE(plan.ok()) << plan.status().information();
  EXPECT_EQ((*plan)->placements.size(), 2u);
  EXPECT_EQ(f.gpu.finished, 1);
  EXPECT_EQ(f.cpu.finished, 1);
}

TEST(MakePlan, ErrorsOfEachPartEndIt) {
#ifdef NDEBUG  // other builds stop at a broken invariant
  {
    Fixture f;
    f.options.devices.clear();
    EXPECT_EQ(f.Make().status().code(), Status::MACE_INTERNAL_ERROR);
  }
#endif
  {
    Fixture f;
    f.maker.plan.graph.nodes[0].node.op = "NoOp";
    EXPECT_NE(f.Make().status().information().find("NoOp"), std::string::npos);
  }
  {
    Fixture f;
    f.cpu.prepare = [](const Node&) -> Result<KernelProperties> {
      return Unsupported("no node");
    };
    EXPECT_EQ(f.Make().status().information(), "no node");
  }
  {
    Fixture f;
    f.cpu.prepare_fused =
        [](const std::vector<FusedNode>&) -> Result<KernelProperties> {
      return OutOfResources("no chain");
    };
    EXPECT_EQ(f.Make().status().information(), "no chain");
  }
  {
    Fixture f;
    f.options.memory_strategy = "NONE";
    EXPECT_EQ(f.Make().status().code(), Status::MACE_INVALID_ARGS);
  }
  KernelProperties images;
  images.takes_images = images.gives_images = true;
  for (const bool too_large : {false, true}) {
    Fixture f;
    f.options.devices = {&f.gpu, &f.cpu};
    f.gpu.its_speed.transfer_per_us = f.gpu.its_speed.bytes_per_us = 1e9;
    f.gpu.prepare = [&](const Node&) { return images; };
    if (too_large) {
      f.gpu.its_max_extent = {4, 1};
    } else {
      f.gpu.prepare_convert = [](const Node&) -> Result<KernelProperties> {
        return Unsupported("no move");
      };
    }
    const std::string message = f.Make().status().information();
    EXPECT_NE(message.find(too_large ? "width 8 exceeds" : "no move"),
              std::string::npos)
        << message;
  }
}

}  // namespace
}  // namespace mace
