// Which weights stored as fp16 are converted to floats.
// SPDX-License-Identifier: Apache-2.0

#include "mace/device/widen_weights.h"

#include <gtest/gtest.h>

#include "mace/base/fp16.h"
#include "mace/cpu/cpu_device.h"

namespace mace {
namespace {

// Returns a device that takes the filters of Conv2d as fp16 but no input of
// Eltwise; with `reference`, it takes no fp16 at all.
std::unique_ptr<CpuDevice> MakeDevice(bool reference) {
  CpuOptions options;
  options.reference = reference;
  return std::move(
      *CpuDevice::Create(options, std::make_shared<PackedWeights>()));
}

// A graph in which x (value 0) and w (value 1, stored as fp16) are the inputs
// of one node for each op, in the given order.
struct Sample {
  uint16_t fp16[3] = {ToFp16(1), ToFp16(-0.5f), ToFp16(65504)};
  Graph graph;
  PackedWeights packed;

  explicit Sample(const std::vector<std::string>& ops) {
    graph.values.resize(2 + ops.size());
    Value& w = graph.values[1];
    w.type = {DataType::kF32, {3}};
    w.data = fp16;
    w.weight_id = 0;
    w.stored = DataType::kF16;
    for (const std::string& op : ops) {
      GraphNode g;
      g.node.op = op;
      g.inputs = {0, 1};
      g.outputs = {2 + static_cast<int>(graph.nodes.size())};
      graph.nodes.push_back(g);
    }
  }
  bool Widens(const std::vector<Device*>& devices) {
    EXPECT_TRUE(WidenWeights(devices, packed, graph).ok());
    const Value& w = graph.values[1];
    if (w.stored != DataType::kInvalid) {
      EXPECT_EQ(w.data, fp16);
      return false;
    }
    const auto* floats = static_cast<const float*>(w.data);
    EXPECT_EQ(floats[0], 1);
    EXPECT_EQ(floats[1], -0.5f);
    EXPECT_EQ(floats[2], 65504);
    return true;
  }
};

TEST(WidenWeights, WhereOneReaderWantsFloats) {
  const auto cpu = MakeDevice(false), reference = MakeDevice(true);
  EXPECT_FALSE(Sample({"Conv2d"}).Widens({cpu.get()}));
  EXPECT_TRUE(Sample({"Conv2d"}).Widens({cpu.get(), reference.get()}));
  EXPECT_TRUE(Sample({"Conv2d", "Eltwise"}).Widens({cpu.get()}));
  Sample first({"Conv2d"});
  first.graph.nodes[0].inputs = {1, 0};
  EXPECT_TRUE(first.Widens({cpu.get()}));
}

TEST(WidenWeights, OfOutputs) {
  const auto cpu = MakeDevice(false);
  Sample sample({"Conv2d"});
  sample.graph.outputs = {1};
  EXPECT_TRUE(sample.Widens({cpu.get()}));
}

TEST(WidenWeights, SharesFloats) {
  Sample sample({"Eltwise"});
  Graph other = sample.graph;
  const auto cpu = MakeDevice(false);
  EXPECT_TRUE(sample.Widens({cpu.get()}));
  ASSERT_TRUE(WidenWeights({cpu.get()}, sample.packed, other).ok());
  EXPECT_EQ(other.values[1].data, sample.graph.values[1].data);
  EXPECT_EQ(sample.packed.count(), 1);
}

}  // namespace
}  // namespace mace
