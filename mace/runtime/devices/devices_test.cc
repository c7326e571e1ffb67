// Plans on several devices and on devices that run regions: a node is prepared
// only on the device that runs it, and results stay the same.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "mace/memory/strategy.h"
#include "mace/plan/make_plan.h"
#include "mace/plan/stages/infer.h"
#include "mace/plan/stages/place.h"
#include "mace/runtime/executor/executor.h"
#include "mace/testing/fake_devices.h"

namespace mace {
namespace {

using testing::FakeNodeDevice;
using testing::FakeOptions;
using testing::FakeRegionDevice;
using testing::FastSpeed;

const Shape kShape = {1, 6, 5, 8};

// A graph of nodes that keep the shape of the input.
class Network {
 public:
  Network() {
    graph_.inputs = {AddValue(kShape)};
    graph_.values[0].name = "x";
  }

  int input() const { return 0; }

  int Relu(int x) {
    return Add("Activation", {x}, {{"activation", std::string("RELU")}});
  }
  int Sigmoid(int x) {
    return Add("Activation", {x}, {{"activation", std::string("SIGMOID")}});
  }
  int Sum(int x, int y) {
    return Add("Eltwise", {x, y}, {{"type", std::string("SUM")}});
  }
  int Conv(int x) {
    weights_.push_back(std::make_unique<std::vector<float>>(8 * 8 * 9));
    const int seed = static_cast<int>(weights_.size());
    int i = 0;
    for (float& w : *weights_.back()) {
      w = static_cast<float>((i++ * 7919 + seed) % 101 - 50) * 0.001f;
    }
    const int weight = AddValue({8, 8, 3, 3});
    graph_.values[weight].data = weights_.back()->data();
    graph_.values[weight].weight_id = static_cast<int64_t>(weights_.size()) - 1;
    return Add("Conv2d", {x, weight}, {{"padding", int64_t{1}}});
  }
  void Output(int x) { graph_.outputs.push_back(x); }

  const Graph& graph() const { return graph_; }

 private:
  int AddValue(const Shape& shape) {
    Value value;
    value.name = "v" + std::to_string(graph_.values.size());
    value.type = {DataType::kF32, shape};
    graph_.values.push_back(value);
    return static_cast<int>(graph_.values.size()) - 1;
  }
  int Add(const std::string& op, const std::vector<int>& inputs,
          const AttrMap& attrs) {
    GraphNode g;
    g.node.op = op;
    g.node.attrs = attrs;
    g.node.outputs.resize(1);
    g.inputs = inputs;
    g.outputs = {AddValue(kShape)};
    g.node.name = graph_.values[g.outputs[0]].name;
    graph_.nodes.push_back(g);
    return g.outputs[0];
  }

  Graph graph_;
  std::vector<std::unique_ptr<std::vector<float>>> weights_;
};

std::unique_ptr<CpuDevice> MakeCpu(std::shared_ptr<PackedWeights> packed = {}) {
  if (packed == nullptr) packed = std::make_shared<PackedWeights>();
  const CpuOptions options;
  return std::move(*CpuDevice::Create(options, packed));
}

// The results and the plan of one run of the network.
struct Ran {
  std::vector<std::vector<float>> outputs;
  std::vector<std::string> steps;  // "Conv2d on CPU"
  std::vector<Placement> placements;

  int64_t Count(const std::string& step) const {
    return std::count(steps.begin(), steps.end(), step);
  }
};

Ran RunNetwork(const Network& network, const std::vector<Device*>& devices,
               const std::string& strategy = "AUTO") {
  Ran ran;
  PlanOptions options;
  options.devices = devices;
  options.memory_strategy = strategy;
  auto plan = MakePlan(network.graph(), {}, options);
  EXPECT_TRUE(plan.ok()) << plan.status().information();
  if (!plan.ok()) return ran;
  ran.placements = (*plan)->placements;
  for (const Step& step : (*plan)->steps) {
    ran.steps.push_back((*plan)->graph.nodes[step.node].node.op + " on " +
                        step.device->name());
  }
  const size_t elements = static_cast<size_t>(NumElements(kShape));
  std::vector<float> x(elements);
  for (size_t i = 0; i < elements; ++i) {
    x[i] = static_cast<float>(i % 17) * 0.1f - 0.8f;
  }
  auto arena =
      AlignedBuffer::Create(static_cast<size_t>((*plan)->arena_bytes), "arena");
  EXPECT_TRUE(arena.ok());
  ran.outputs.assign(network.graph().outputs.size(),
                     std::vector<float>(elements, NAN));
  // The guard sets bytes that hold nothing live to NaN.
  Executor executor(std::move(*plan));
  EXPECT_TRUE(executor.PoisonUnused().ok());
  executor.BindArena(arena->data());
  EXPECT_TRUE(executor.BindInput(0, MemoryType::CPU_BUFFER, x.data()).ok());
  for (size_t i = 0; i < ran.outputs.size(); ++i) {
    EXPECT_TRUE(executor
                    .BindOutput(static_cast<int>(i), MemoryType::CPU_BUFFER,
                                ran.outputs[i].data())
                    .ok());
  }
  for (int round = 0; round < 2; ++round) {
    const Status status = executor.Run(nullptr);
    EXPECT_TRUE(status.ok()) << status.information();
  }
  return ran;
}

Ran RunOnCpu(const Network& network) {
  const auto cpu = MakeCpu();
  return RunNetwork(network, {cpu.get()});
}

// x -> conv -> relu -> conv -> sum with the relu, all on the device.
TEST(RegionDevice, RunsAllItsNodesAsOneStep) {
  Network network;
  const int a = network.Relu(network.Conv(network.input()));
  network.Output(network.Sum(network.Conv(a), a));
  FakeRegionDevice dsp(
      {"DSP", {"Conv2d", "Activation", "Eltwise"}, FastSpeed()});
  const auto packed = std::make_shared<PackedWeights>();
  const auto cpu = MakeCpu(packed);
  const Ran ran = RunNetwork(network, {&dsp, cpu.get()});
  EXPECT_EQ(ran.steps, std::vector<std::string>{"Region on DSP"});
  EXPECT_EQ(ran.outputs, RunOnCpu(network).outputs);
  EXPECT_EQ(dsp.num_prepared(), 4);
  // The CPU packed none of the weights.
  EXPECT_EQ(packed->count(), 0);
}

// A diamond with one branch that the device does not support. Its two ends
// cannot form one region, because the branch waits for one end and the other
// end for the branch.
TEST(RegionDevice, CutsRegionsWhereAnotherDeviceIsBetween) {
  Network network;
  const int a = network.Conv(network.input());
  const int b = network.Conv(a);
  network.Output(network.Sum(network.Sigmoid(a), b));
  FakeRegionDevice dsp({"DSP", {"Conv2d", "Eltwise"}, FastSpeed()});
  const auto cpu = MakeCpu();
  const Ran ran = RunNetwork(network, {&dsp, cpu.get()});
  EXPECT_EQ(ran.Count("Region on DSP"), 2);
  EXPECT_EQ(ran.Count("Activation on CPU"), 1);
  EXPECT_EQ(ran.steps.size(), 3u);
  EXPECT_EQ(ran.outputs, RunOnCpu(network).outputs);
  EXPECT_EQ(ran.placements[2].device, "CPU");
  EXPECT_NE(ran.placements[2].reason.find("the DSP has no kernel"),
            std::string::npos)
      << ran.placements[2].reason;
}

// Numeric checks look at every tensor, also at those within regions.
TEST(RegionDevice, RunsNodesAloneWhereAllTensorsAreKept) {
  Network network;
  network.Output(network.Relu(network.Conv(network.Conv(network.input()))));
  FakeRegionDevice dsp({"DSP", {"Conv2d", "Activation"}, FastSpeed()});
  const auto cpu = MakeCpu();
  const Ran ran = RunNetwork(network, {&dsp, cpu.get()}, memory::kPreserveAll);
  EXPECT_EQ(ran.Count("Region on DSP"), 3);
  EXPECT_EQ(ran.outputs, RunOnCpu(network).outputs);
}

// Conv, then what the device lacks, then two nodes that are too many for it.
TEST(RegionDevice, LeavesRegionsForWhichItHasNoRoomToTheHost) {
  Network network;
  const int a = network.Conv(network.input());
  const int b = network.Sigmoid(a);
  network.Output(network.Sum(network.Conv(b), b));
  FakeOptions small = {"DSP", {"Conv2d", "Eltwise"}, FastSpeed()};
  small.max_nodes = 1;
  FakeRegionDevice dsp(small);
  const auto cpu = MakeCpu();
  const Ran ran = RunNetwork(network, {&dsp, cpu.get()});
  EXPECT_EQ(ran.outputs, RunOnCpu(network).outputs);
  EXPECT_EQ(ran.Count("Region on DSP"), 1);
  EXPECT_EQ(dsp.num_prepared(), 1);
  ASSERT_EQ(ran.placements.size(), 4u);
  EXPECT_EQ(ran.placements[0].device, "DSP");
  EXPECT_EQ(ran.placements[0].reason, "");
  for (const size_t n : {2, 3}) {
    EXPECT_EQ(ran.placements[n].device, "CPU");
    EXPECT_EQ(ran.placements[n].reason,
              "the DSP has no room for the region: at most 1 nodes fit");
  }
}

TEST(RegionDevice, TakesNothingThatIsNotWorthMoving) {
  Network network;
  network.Output(network.Conv(network.input()));
  DeviceSpeed slow_to_reach = FastSpeed();
  slow_to_reach.transfer_us = 1e6;
  FakeRegionDevice dsp({"DSP", {"Conv2d"}, slow_to_reach});
  const auto cpu = MakeCpu();
  const Ran ran = RunNetwork(network, {&dsp, cpu.get()});
  EXPECT_EQ(ran.steps, std::vector<std::string>{"Conv2d on CPU"});
  EXPECT_EQ(dsp.num_prepared(), 0);
  EXPECT_EQ(ran.placements[0].reason,
            "moving its tensors would cost more than it gains");
}

// Three devices; each op runs on one of them only, or on the CPU.
TEST(Devices, ThreeShareAPlan) {
  Network network;
  const int a = network.Conv(network.input());
  const int b = network.Relu(a);
  network.Output(network.Sum(network.Conv(b), b));
  FakeRegionDevice dsp({"DSP", {"Conv2d"}, FastSpeed()});
  FakeNodeDevice npu({"NPU", {"Activation"}, FastSpeed()});
  const auto cpu = MakeCpu();
  const Ran ran = RunNetwork(network, {&dsp, &npu, cpu.get()});
  EXPECT_EQ(ran.Count("Region on DSP"), 2);
  EXPECT_EQ(ran.Count("Activation on NPU"), 1);
  EXPECT_EQ(ran.Count("Eltwise on CPU"), 1);
  EXPECT_EQ(ran.outputs, RunOnCpu(network).outputs);
  EXPECT_EQ(npu.num_prepared(), 1);
}

// If two devices support a node, the one that does not get it prepares nothing.
TEST(Devices, PrepareOnlyWhatRunsThere) {
  Network network;
  network.Output(network.Conv(network.Conv(network.input())));
  DeviceSpeed slow = FastSpeed();
  slow.macs_per_us = 1;
  FakeNodeDevice first({"first", {"Conv2d"}, slow});
  FakeNodeDevice second({"second", {"Conv2d"}, FastSpeed()});
  const auto packed = std::make_shared<PackedWeights>();
  const auto cpu = MakeCpu(packed);
  const Ran ran = RunNetwork(network, {&first, &second, cpu.get()});
  EXPECT_EQ(ran.Count("Conv2d on second"), 2);
  EXPECT_EQ(first.num_prepared(), 0);
  EXPECT_EQ(first.num_packed(), 0);
  EXPECT_EQ(second.num_prepared(), 2);
  EXPECT_EQ(packed->count(), 0);
}

TEST(Devices, SayWhoRefusesANodeThatNoneRuns) {
  Network network;
  network.Output(network.Conv(network.input()));
  FakeRegionDevice dsp({"DSP", {"Activation"}, FastSpeed()});
  FakeNodeDevice last({"last", {"Activation"}, FastSpeed()});
  PlanOptions options;
  options.devices = {&dsp, &last};
  const auto plan = MakePlan(network.graph(), {}, options);
  EXPECT_EQ(plan.status(), Status::MACE_UNSUPPORTED);
  EXPECT_EQ(plan.status().information(),
            "Conv2d 'v2': the DSP has no kernel; "
            "Conv2d 'v2': the last has no kernel");
}

// A device with storage. These tests place nodes on it but never run it.
class StorageDevice final : public Device, public DeviceStorage {
 public:
  explicit StorageDevice(testing::FakeOptions options) : fake_(options) {}

  const char* name() const override { return fake_.name(); }
  DeviceSpeed speed() const override { return fake_.speed(); }
  NodeKernels* kernels() override { return &fake_; }
  DeviceStorage* storage() override { return this; }

  Result<KernelPtr> PrepareConvert(const Node&) override { return NotHere(); }
  Result<Extent2D> ImageExtentOf(const TensorType&) const override {
    return NotHere();
  }
  DataType image_dtype() const override { return DataType::kF32; }
  Extent2D max_image_extent() const override { return {}; }
  Result<std::unique_ptr<DeviceImages>> CreateImages(
      const std::vector<ImageType>&) override {
    return NotHere();
  }
  Status CheckMemory(const DeviceMemory&, const TensorType&) const override {
    return NotHere();
  }
  NativeHandles native_handles() const override { return {}; }
  void UseBuffer(Kernel&, void*) override {}

 private:
  static Status NotHere() { return InternalError("a test device"); }

  FakeNodeDevice fake_;
};

// Returns the devices that run a convolution and an activation.
std::vector<std::string> Places(const std::vector<Device*>& devices) {
  Network network;
  network.Output(network.Relu(network.Conv(network.input())));
  Plan plan;
  plan.graph = network.graph();
  EXPECT_TRUE(InferGraph(plan.graph, *devices.back()->kernels()).ok());
  const Status status = PlaceNodes(plan, devices);
  if (!status.ok()) return {status.information()};
  std::vector<std::string> places;
  for (const Placement& p : plan.placements) places.push_back(p.device);
  return places;
}

TEST(Devices, OneOfThoseWithStorageIsUsed) {
  const auto cpu = MakeCpu();
  StorageDevice a({"a", {"Conv2d"}, FastSpeed()});
  StorageDevice b({"b", {"Activation"}, FastSpeed()});
  // The convolution gains most from a faster device.
  EXPECT_EQ(Places({&a, &b, cpu.get()}),
            (std::vector<std::string>{"a", "CPU"}));
  EXPECT_EQ(Places({&b, &a, cpu.get()}),
            (std::vector<std::string>{"a", "CPU"}));
  // Devices without storage may work beside it.
  FakeNodeDevice npu({"NPU", {"Activation"}, FastSpeed()});
  EXPECT_EQ(Places({&a, &b, &npu, cpu.get()}),
            (std::vector<std::string>{"a", "NPU"}));
  FakeNodeDevice last({"last", {}, FastSpeed()});
  const auto none = Places({&a, &b, &last});
  ASSERT_EQ(none.size(), 1u);
  EXPECT_NE(none[0].find("two devices with storage"), std::string::npos)
      << none[0];
}

// Random graphs on devices that support random subsets of the ops.
TEST(Devices, RandomGraphsGiveTheSameResults) {
  const std::vector<std::string> ops = {"Conv2d", "Activation", "Eltwise"};
  int num_regions = 0, num_nodes = 0;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    Network network;
    std::vector<int> values = {network.input()};
    const auto any = [&] { return values[rng() % values.size()]; };
    for (int n = 0; n < 14; ++n) {
      switch (rng() % 4) {
        case 0:
          values.push_back(network.Conv(any()));
          break;
        case 1:
          values.push_back(network.Sigmoid(any()));
          break;
        case 2:
          values.push_back(network.Relu(any()));
          break;
        default:
          values.push_back(network.Sum(any(), any()));
      }
    }
    network.Output(values.back());
    network.Output(values[7]);
    FakeRegionDevice dsp({"DSP", {ops[seed % 3]}, FastSpeed()});
    FakeRegionDevice other(
        {"other", {ops[seed / 3 % 3], ops[seed / 9 % 3]}, FastSpeed()});
    FakeNodeDevice npu({"NPU", {ops[seed / 2 % 3]}, FastSpeed()});
    const auto cpu = MakeCpu();
    const Ran ran = RunNetwork(network, {&dsp, &other, &npu, cpu.get()});
    EXPECT_EQ(ran.outputs, RunOnCpu(network).outputs);
    EXPECT_TRUE(std::isfinite(ran.outputs[0][0]));
    num_regions += dsp.num_regions() + other.num_regions();
    num_nodes += dsp.num_prepared() + other.num_prepared();
  }
  EXPECT_GT(num_regions, 40);
  EXPECT_GT(num_nodes, 2 * num_regions);
}

}  // namespace
}  // namespace mace
