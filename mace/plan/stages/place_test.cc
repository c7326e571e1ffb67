// Compares PlaceNodes with all placements of small graphs, and checks its
// reasons.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/stages/place.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mace/plan/testing/fake_device.h"

namespace mace {
namespace {

using testing::FakeDevice;
using testing::KernelProperties;
using testing::PlanMaker;
using testing::Random;

// A graph of nodes whose op says what the devices support: "Cpu" runs only on
// the CPU, "View" is free, "Gpu" runs only on the GPU, "Any" on both. The
// attribute "macs" has the multiply-adds.
Result<KernelProperties> OfGpu(const Node& node) {
  if (node.op == "Cpu") return Unsupported("GPU: no " + node.name);
  KernelProperties properties;
  properties.macs = std::get<int64_t>(node.attrs.at("macs"));
  properties.renames_only = node.op == "View";
  return properties;
}
Result<KernelProperties> OfCpu(const Node& node) {
  if (node.op == "Gpu") return Unsupported("CPU: no " + node.name);
  return KernelProperties();
}

struct Devices {
  FakeDevice gpu{"GPU"}, cpu{"CPU"};

  Devices() {
    gpu.prepare = OfGpu;
    cpu.prepare = OfCpu;
    gpu.its_speed = {1000, 400, 3, 5, 16};
    cpu.its_speed = {125, 100, 1, 0, 1};
  }
  std::vector<Device*> list() { return {&gpu, &cpu}; }
};

void RandomGraph(uint32_t seed, PlanMaker* maker) {
  Random random(seed);
  std::vector<int> values = {maker->Input({random.Between(1, 60)})};
  if (random.OneIn(2)) values.push_back(maker->Constant({30}));
  for (int n = random.Between(1, 8); n > 0; --n) {
    const int kind = random.Below(10);
    const char* op = kind == 0 ? "Cpu" : kind == 1 ? "View" : "Any";
    std::vector<int> inputs;
    for (int k = random.Between(1, 2); k > 0; --k) {
      inputs.push_back(random.Of(values));
    }
    if (random.OneIn(5)) inputs.push_back(-1);
    const AttrMap attrs = {{"macs", int64_t{random.Below(20000)}}};
    for (int id : maker->Add(op, inputs,
                             std::vector<Shape>(random.OneIn(4) ? 2 : 1,
                                                {random.Between(1, 60)}),
                             {}, attrs)) {
      values.push_back(id);
      if (random.OneIn(5)) maker->Output(id);
    }
  }
  maker->Output(values.back());
  maker->plan.steps.clear();
}

// Returns the cost of a placement according to place.h and DeviceSpeed.
double CostOf(const Graph& graph, const Devices& devices, unsigned on_gpu) {
  double cost = 0;
  std::vector<bool> made_on_gpu(graph.values.size(), false);
  std::vector<bool> read_on_gpu(graph.values.size(), false);
  std::vector<bool> read_on_cpu(graph.values.size(), false);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const GraphNode& g = graph.nodes[n];
    const bool gpu = (on_gpu >> n & 1) != 0;
    if (gpu && g.node.op == "Cpu") return 1e300;
    double bytes = 0;
    for (size_t i = 0; i < g.inputs.size(); ++i) {
      if (g.inputs[i] < 0) continue;
      bytes += static_cast<double>(Bytes(g.node.inputs[i].type));
      (gpu ? read_on_gpu : read_on_cpu)[g.inputs[i]] = true;
    }
    for (int id : g.outputs) {
      bytes += static_cast<double>(Bytes(graph.values[id].type));
      made_on_gpu[id] = gpu;
    }
    if (g.node.op == "Cpu" || g.node.op == "View") continue;
    const DeviceSpeed speed =
        gpu ? devices.gpu.its_speed : devices.cpu.its_speed;
    cost += speed.launch_us +
            static_cast<double>(std::get<int64_t>(g.node.attrs.at("macs"))) /
                speed.macs_per_us +
            bytes / speed.bytes_per_us;
  }
  for (int id : graph.outputs) read_on_cpu[id] = true;
  const DeviceSpeed& speed = devices.gpu.its_speed;
  for (size_t id = 0; id < graph.values.size(); ++id) {
    if (graph.values[id].is_constant()) continue;
    if (made_on_gpu[id] ? read_on_cpu[id] : read_on_gpu[id]) {
      cost += speed.transfer_us +
              static_cast<double>(Bytes(graph.values[id].type)) /
                  speed.transfer_per_us;
    }
  }
  return cost;
}

TEST(Place, CheapestOfAllPlacements) {
  int mixed = 0;
  for (uint32_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    PlanMaker maker;
    RandomGraph(seed, &maker);
    Devices devices;
    if (seed % 3 == 0) devices.gpu.its_speed.transfer_us = 40;
    ASSERT_TRUE(PlaceNodes(maker.plan, devices.list()).ok());
    const size_t n = maker.plan.graph.nodes.size();
    ASSERT_EQ(maker.plan.steps.size(), n);
    unsigned chosen = 0;
    for (size_t s = 0; s < n; ++s) {
      const Step& step = maker.plan.steps[s];
      EXPECT_EQ(step.node, static_cast<int>(s));
      ASSERT_NE(step.kernel, nullptr);
      if (step.device == &devices.gpu) chosen |= 1u << s;
    }
    double least = 1e300;
    for (unsigned p = 0; p < 1u << n; ++p) {
      least = std::min(least, CostOf(maker.plan.graph, devices, p));
    }
    // Costs are rounded to thousandths.
    EXPECT_NEAR(CostOf(maker.plan.graph, devices, chosen), least, 0.05);
    mixed += chosen != 0 && chosen != (1u << n) - 1;
  }
  EXPECT_GT(mixed, 100);
}

AttrMap Macs(int64_t macs) { return {{"macs", macs}}; }

TEST(Place, SaysWhyANodeIsNotOnTheFirst) {
  PlanMaker maker;
  const int a = maker.AddOne("Any", {maker.Input({4})}, {4}, {}, Macs(1 << 24));
  const int b = maker.AddOne("Cpu", {a}, {4}, {}, Macs(0));
  maker.Output(maker.AddOne("Any", {b}, {4}, {}, Macs(8)));
  maker.plan.steps.clear();
  Devices devices;
  ASSERT_TRUE(PlaceNodes(maker.plan, devices.list()).ok());
  const std::vector<Placement>& placements = maker.plan.placements;
  ASSERT_EQ(placements.size(), 3u);
  EXPECT_EQ(placements[0].node, "Any 'n0'");
  EXPECT_EQ(placements[0].device, "GPU");
  EXPECT_EQ(placements[0].reason, "");
  EXPECT_EQ(placements[1].device, "CPU");
  EXPECT_EQ(placements[1].reason, "GPU: no n1");
  EXPECT_EQ(placements[2].device, "CPU");
  EXPECT_EQ(placements[2].reason,
            "moving its tensors would cost more than it gains");
}

TEST(Place, OneDeviceTakesAll) {
  PlanMaker maker;
  maker.Output(maker.AddOne("Any", {maker.Input({4})}, {4}, {}, Macs(8)));
  maker.plan.steps.clear();
  Devices devices;
  ASSERT_TRUE(PlaceNodes(maker.plan, {&devices.cpu}).ok());
  ASSERT_EQ(maker.plan.steps.size(), 1u);
  EXPECT_EQ(maker.plan.steps[0].device, &devices.cpu);
  EXPECT_TRUE(maker.plan.placements.empty());
}

TEST(Place, NamesTheNodeThatNoDeviceTakes) {
  Devices devices;
  devices.gpu.prepare = [](const Node& node) -> Result<KernelProperties> {
    if (node.op == "Gpu") return Unsupported("GPU: not today");
    return OfGpu(node);
  };
  for (const bool both : {true, false}) {
    PlanMaker maker;
    const int a = maker.AddOne("Any", {maker.Input({4})}, {4}, {}, Macs(1));
    maker.Output(maker.AddOne("Gpu", {a}, {4}, {}, Macs(1)));
    maker.plan.steps.clear();
    const Status status = PlaceNodes(
        maker.plan, both ? devices.list() : std::vector<Device*>{&devices.cpu});
    EXPECT_EQ(status.code(), Status::MACE_UNSUPPORTED);
    EXPECT_EQ(status.information(),
              both ? "GPU: not today; CPU: no n1" : "CPU: no n1");
  }
}

TEST(Place, OtherErrorsEndIt) {
  for (const bool of_gpu : {true, false}) {
    PlanMaker maker;
    maker.Output(maker.AddOne("Any", {maker.Input({4})}, {4}, {}, Macs(0)));
    maker.plan.steps.clear();
    Devices devices;
    (of_gpu ? devices.gpu : devices.cpu).prepare =
        [](const Node&) -> Result<KernelProperties> {
      return OutOfResources("full");
    };
    const Status status = PlaceNodes(maker.plan, devices.list());
    EXPECT_EQ(status.code(), Status::MACE_OUT_OF_RESOURCES);
    EXPECT_EQ(status.information(), "full");
  }
}

}  // namespace
}  // namespace mace
