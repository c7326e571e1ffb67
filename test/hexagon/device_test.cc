// HexagonDevice computes what the CPU computes, to the bit.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/cpu_device.h"
#include "mace/hexagon/device/hexagon_device.h"
#include "mace/hexagon/testing/emulated_dsp.h"
#include "mace/hexagon/testing/random.h"
#include "mace/ops/common/op.h"

namespace mace::hexagon::testing {
namespace {

QuantizationPtr Scale(float scale, int32_t zero_point) {
  auto q = std::make_shared<Quantization>();
  q->scales = {scale};
  q->zero_points = {zero_point};
  return q;
}

// A graph of 8-bit nodes that is built node by node.
class Net {
 public:
  explicit Net(DataType type) : type_(type) {}

  int Input(const Shape& shape, QuantizationPtr q) {
    Value value;
    value.type = {type_, shape, Layout::kRowMajor, std::move(q)};
    graph_.values.push_back(value);
    graph_.inputs.push_back(Last());
    return Last();
  }

  // A filter with a scale for each output along `axis`, or one for all if it
  // is -1.
  int Weight(const Shape& shape, int axis) {
    auto q = std::make_shared<Quantization>();
    q->axis = type_ == DataType::kU8 ? -1 : axis;
    const int64_t n = q->axis < 0 ? 1 : shape[axis];
    for (int64_t i = 0; i < n; ++i) {
      q->scales.push_back(0.004f + 0.0001f * static_cast<float>(i));
      q->zero_points.push_back(type_ == DataType::kU8 ? 131 : 0);
    }
    return Constant({type_, shape, Layout::kRowMajor, q},
                    random_.Bytes(static_cast<size_t>(NumElements(shape))));
  }

  int Bias(int64_t n) {
    const std::vector<int32_t> words =
        random_.Words(static_cast<size_t>(n), 3000);
    const auto* bytes = reinterpret_cast<const uint8_t*>(words.data());
    return Constant({DataType::kI32, {n}}, Bytes(bytes, bytes + 4 * n));
  }

  int Constant(const TensorType& type, const Bytes& bytes) {
    auto owner = std::make_shared<Bytes>(bytes);
    Value value;
    value.type = type;
    value.data = owner->data();
    value.owner = owner;
    graph_.values.push_back(value);
    return Last();
  }

  int Op(const std::string& op, const std::vector<int>& inputs,
         const AttrMap& attrs, const QuantizationPtr& q) {
    return Ops(op, inputs, attrs, q, 1)[0];
  }

  // A node with `count` outputs.
  std::vector<int> Ops(const std::string& op, const std::vector<int>& inputs,
                       const AttrMap& attrs, const QuantizationPtr& q,
                       size_t count) {
    GraphNode g;
    g.node.op = op;
    g.node.name = op + std::to_string(graph_.nodes.size());
    g.node.attrs = attrs;
    g.node.output_quantization.assign(count, q);
    g.inputs = inputs;
    for (const int id : inputs) {
      const Value& value = graph_.values[id];
      g.node.inputs.push_back({value.type, value.data, -1});
    }
    g.node.outputs.resize(count);
    const Status status = Infer(g.node);
    EXPECT_TRUE(status.ok()) << status.information();
    for (size_t i = 0; i < count; ++i) {
      Value value;
      if (status.ok()) value.type = g.node.outputs[i];
      graph_.values.push_back(value);
      g.outputs.push_back(Last());
    }
    graph_.nodes.push_back(g);
    return g.outputs;
  }

  // Runs all nodes as one region, and on the CPU; expects the same bits.
  void Check(const std::vector<int>& outputs) {
    auto host =
        CpuDevice::Create(CpuOptions(), std::make_shared<PackedWeights>());
    HexagonDevice device(
        std::shared_ptr<Session>(SharedSession(), [](Session*) {}),
        std::move(*host));
    Region region;
    region.graph = &graph_;
    region.inputs = graph_.inputs;
    region.outputs = outputs;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      region.nodes.push_back(static_cast<int>(i));
      const auto work = device.Supports(graph_.nodes[i].node);
      ASSERT_TRUE(work.ok()) << work.status().information();
    }
    auto kernel = device.PrepareRegion(region);
    ASSERT_TRUE(kernel.ok()) << kernel.status().information();
    for (int run = 0; run < 2; ++run) {
      std::vector<Bytes> values = RunOnCpu();
      RunArgs args;
      for (const int id : region.inputs) {
        args.inputs.push_back({values[id].data()});
      }
      std::vector<Bytes> found;
      for (const int id : outputs) found.emplace_back(values[id].size(), 0x5a);
      for (Bytes& bytes : found) args.outputs.push_back({bytes.data()});
      const Status status = (*kernel)->Run(args);
      ASSERT_TRUE(status.ok()) << status.information();
      for (size_t i = 0; i < outputs.size(); ++i) {
        EXPECT_EQ(found[i], values[outputs[i]]) << "output " << i;
      }
    }
  }

 private:
  int Last() const { return static_cast<int>(graph_.values.size()) - 1; }

  // Returns the bytes of all values, for random inputs.
  std::vector<Bytes> RunOnCpu() {
    auto cpu =
        CpuDevice::Create(CpuOptions(), std::make_shared<PackedWeights>());
    std::vector<Bytes> values;
    for (const Value& value : graph_.values) {
      const auto n = static_cast<size_t>(mace::Bytes(value.type));
      const auto* data = static_cast<const uint8_t*>(value.data);
      values.push_back(data != nullptr ? Bytes(data, data + n)
                                       : random_.Bytes(n));
    }
    for (const GraphNode& g : graph_.nodes) {
      auto kernel = (*cpu)->Prepare(g.node);
      EXPECT_TRUE(kernel.ok()) << kernel.status().information();
      if (!kernel.ok()) break;
      RunArgs args;
      for (const int id : g.inputs) args.inputs.push_back({values[id].data()});
      for (const int id : g.outputs) {
        args.outputs.push_back({values[id].data()});
      }
      const auto scratch = AlignedBuffer::Create(
          static_cast<size_t>((*kernel)->scratch_bytes()) + 1, "scratch");
      EXPECT_TRUE(scratch.ok());
      if (!scratch.ok()) break;
      args.scratch = {scratch->data()};
      EXPECT_TRUE((*kernel)->Run(args).ok());
    }
    return values;
  }

  const DataType type_;
  Graph graph_;
  Random random_{1};
};

using Ints = std::vector<int64_t>;

class DeviceTest : public ::testing::TestWithParam<DataType> {
 protected:
  // The zero point that stands for `code` of i8.
  QuantizationPtr Q(float scale, int32_t code) const {
    return Scale(scale, GetParam() == DataType::kU8 ? code + 128 : code);
  }
};

TEST_P(DeviceTest, ASmallNetworkHasTheBitsOfTheCpu) {
  Net net(GetParam());
  const Ints same = {1, 1}, half = {2, 2};
  const int x = net.Input({2, 15, 14, 8}, Q(0.02f, 5));
  const int a =
      net.Op("Conv2d", {x, net.Weight({48, 8, 3, 3}, 0), net.Bias(48)},
             {{"strides", half},
              {"padding", int64_t{1}},
              {"dilations", same},
              {"activation", std::string("RELUX")},
              {"max_limit", 6.0f}},
             Q(0.03f, -20));
  const int b =
      net.Op("DepthwiseConv2d", {a, net.Weight({1, 48, 3, 3}, 1), net.Bias(48)},
             {{"strides", same}, {"padding", int64_t{1}}}, Q(0.05f, 3));
  const int c =
      net.Op("Conv2d", {b, net.Weight({48, 48, 1, 1}, 0), net.Bias(48)},
             {{"strides", same}, {"padding", int64_t{0}}}, Q(0.06f, 11));
  const int sum =
      net.Op("Eltwise", {a, c}, {{"type", std::string("SUM")}}, Q(0.07f, -7));
  const int both =
      net.Op("Concat", {sum, sum}, {{"axis", int64_t{3}}}, Q(0.07f, -7));
  const int pooled = net.Op("Pooling", {both},
                            {{"pooling_type", int64_t{1}},
                             {"kernels", Ints{2, 2}},
                             {"strides", half}},
                            Q(0.07f, -7));
  const int flat =
      net.Op("Flatten", {pooled}, {{"axis", int64_t{1}}}, Q(0.07f, -7));
  const int64_t depth = int64_t{4} * 3 * 96;
  const int classes =
      net.Op("FullyConnected", {flat, net.Weight({10, depth}, 0), net.Bias(10)},
             {}, Q(0.5f, 0));
  const int y = net.Op("Softmax", {classes}, {{"axis", int64_t{-1}}},
                       Q(1.0f / 256, -128));
  net.Check({y, pooled});
}

TEST_P(DeviceTest, OperandsOfSumsMayBeConstantAndBroadcast) {
  Net net(GetParam());
  const int x = net.Input({2, 3, 5, 40}, Q(0.02f, 5));
  const int c =
      net.Constant({GetParam(), {5, 1}, Layout::kRowMajor, Q(0.01f, -3)},
                   {1, 40, 9, 250, 7});
  const int y =
      net.Op("Eltwise", {x, c}, {{"type", std::string("PROD")}}, Q(0.03f, 1));
  const int z =
      net.Op("Eltwise", {c, y}, {{"type", std::string("SUB")}}, Q(0.04f, 1));
  net.Check({z});
}

TEST_P(DeviceTest, FunctionsOfOneCodeAreLookedUp) {
  for (const char* activation :
       {"RELU", "RELUX", "LEAKYRELU", "TANH", "SIGMOID", "HARDSWISH"}) {
    SCOPED_TRACE(activation);
    for (const Shape& shape : {Shape{1, 3, 5, 33}, Shape{257}, Shape{1}}) {
      Net net(GetParam());
      const int x = net.Input(shape, Q(0.04f, 5));
      const int y = net.Op("Activation", {x},
                           {{"activation", std::string(activation)},
                            {"max_limit", 6.0f},
                            {"activation_coefficient", 0.1f}},
                           Q(1.0f / 128, 0));
      net.Check({y});
    }
  }
  Net net(GetParam());
  const int x = net.Input({1, 3, 5, 33}, Q(0.04f, 5));
  net.Check({net.Op("Quantize", {x}, {}, Q(0.07f, -100))});
}

TEST_P(DeviceTest, TransposesOfAnyAxes) {
  for (const Ints& dims :
       {Ints{0, 3, 1, 2}, Ints{0, 2, 3, 1}, Ints{3, 2, 1, 0}, Ints{0, 1, 3, 2},
        Ints{1, 0, 2, 3}, Ints{0, 1, 2, 3}}) {
    for (const Shape& shape : {Shape{2, 7, 5, 33}, Shape{1, 1, 9, 128}}) {
      Net net(GetParam());
      const int x = net.Input(shape, Q(0.02f, 5));
      net.Check({net.Op("Transpose", {x}, {{"dims", dims}}, Q(0.02f, 5))});
    }
  }
}

TEST_P(DeviceTest, SlicesAlsoBackwards) {
  struct Case {
    Ints begin, end, strides;
  };
  for (const Case& c :
       std::vector<Case>{{{0, 1, 2, 3}, {2, 7, 5, 30}, {1, 1, 1, 1}},
                         {{0, 0, 0, 0}, {2, 7, 5, 33}, {1, 2, 3, 4}},
                         {{1, 6, 4, 32}, {-3, -9, -7, -40}, {-1, -2, -1, -3}},
                         {{1, 3, 2, 5}, {2, 4, 3, 6}, {1, 1, 1, 1}}}) {
    Net net(GetParam());
    const int x = net.Input({2, 7, 5, 33}, Q(0.02f, 5));
    net.Check(
        {net.Op("StridedSlice", {x},
                {{"begin", c.begin}, {"end", c.end}, {"strides", c.strides}},
                Q(0.02f, 5))});
  }
}

TEST_P(DeviceTest, SplitsAndStacks) {
  for (const int64_t axis : {1, 2, -1}) {
    Net net(GetParam());
    const auto q = Q(0.02f, 5);
    const int x = net.Input({2, 6, 4, 130}, q);
    const std::vector<int> parts =
        net.Ops("Split", {x}, {{"axis", axis}}, q, 2);
    const int y =
        net.Op("Stack", {parts[1], parts[0], parts[1]}, {{"axis", axis}}, q);
    net.Check({y, parts[0]});
  }
}

TEST_P(DeviceTest, DepthAndSpaceMove) {
  for (const char* mode : {"DCR", "CRD"}) {
    Net net(GetParam());
    const auto q = Q(0.02f, 5);
    const int x = net.Input({2, 3, 5, 36}, q);
    const int y =
        net.Op("DepthToSpace", {x},
               {{"block_size", int64_t{3}}, {"mode", std::string(mode)}}, q);
    const int z = net.Op("SpaceToDepth", {y}, {{"block_size", int64_t{3}}}, q);
    const int s = net.Op("ChannelShuffle", {z}, {{"group", int64_t{4}}}, q);
    net.Check({y, z, s});
  }
}

TEST_P(DeviceTest, PadsWithTheCodeOfTheConstant) {
  for (const Ints& pads :
       {Ints{0, 0, 1, 2, 3, 0, 0, 0}, Ints{0, 1, 0, 0, 0, 0, 5, 130},
        Ints{0, 0, -1, 2, 0, -2, 0, 0}}) {
    for (const float value : {0.0f, 1.3f, -100.0f}) {
      Net net(GetParam());
      const int x = net.Input({2, 4, 5, 33}, Q(0.02f, 5));
      net.Check(
          {net.Op("Pad", {x}, {{"paddings", pads}, {"constant_value", value}},
                  Q(0.02f, 5))});
    }
  }
}

TEST_P(DeviceTest, MeansAndSumsOfAxesSideBySide) {
  for (const char* type : {"MEAN", "SUM"}) {
    for (const Ints& axes :
         {Ints{1, 2}, Ints{3}, Ints{0}, Ints{}, Ints{2, 3}, Ints{2}}) {
      SCOPED_TRACE(type);
      Net net(GetParam());
      const int x = net.Input({2, 7, 5, 133}, Q(0.02f, 5));
      const int y = net.Op("Reduce", {x},
                           {{"reduce_type", std::string(type)},
                            {"axis", axes},
                            {"keepdims", int64_t{1}}},
                           Q(type[0] == 'M' ? 0.013f : 0.7f, -3));
      net.Check({y});
    }
  }
}

TEST_P(DeviceTest, ViewsInARegionMoveNothing) {
  Net net(GetParam());
  const auto q = Q(0.02f, 5);
  const int x = net.Input({1, 4, 4, 8}, q);
  const int a = net.Op("Reshape", {x}, {{"dim", Ints{1, 128}}}, q);
  const int b = net.Op("Activation", {a}, {{"activation", std::string("RELU")}},
                       Q(0.03f, 2));
  const int c = net.Op("Reshape", {b}, {{"dim", Ints{2, 64}}}, Q(0.03f, 2));
  net.Check({b, c});
  net.Check({c});
}

INSTANTIATE_TEST_SUITE_P(Types, DeviceTest,
                         ::testing::Values(DataType::kI8, DataType::kU8),
                         [](const auto& test) {
                           return test.param == DataType::kI8 ? "Signed"
                                                              : "Unsigned";
                         });

TEST(HexagonDeviceTest, FloatsAndOtherOpsStayWithTheCpu) {
  HexagonDevice device(nullptr);
  Node node;
  node.op = "Softmax";
  node.name = "prob";
  node.inputs = {{{DataType::kF32, {1, 4}}, nullptr, -1}};
  node.outputs = {{DataType::kF32, {1, 4}}};
  const auto floats = device.Supports(node);
  EXPECT_EQ(floats.status().code(), Status::MACE_UNSUPPORTED);
  EXPECT_NE(floats.status().information().find("Softmax 'prob'"),
            std::string::npos);
  node.op = "Cumsum";
  EXPECT_EQ(device.Supports(node).status().code(), Status::MACE_UNSUPPORTED);
}

}  // namespace
}  // namespace mace::hexagon::testing
