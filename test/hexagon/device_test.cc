// HexagonDevice computes what the CPU computes, to the bit.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <utility>

#include "mace/cpu/cpu_device.h"
#include "mace/hexagon/device/hexagon_device.h"
#include "mace/hexagon/testing/emulated_dsp.h"
#include "test/hexagon/net.h"

namespace mace::hexagon::testing {
namespace {

// Runs all nodes on the emulated DSP and on the CPU; expects the same bits, in
// however many slices nodes run.
void Check(Net& net, const std::vector<int>& outputs) {
  const std::shared_ptr<Session> session(SharedSession(), [](Session*) {});
  for (const int slices : {1, 4, 3}) {
    SCOPED_TRACE(slices);
    session->set_slices(slices);
    auto host =
        CpuDevice::Create(CpuOptions(), std::make_shared<PackedWeights>());
    HexagonDevice device(session, std::move(*host));
    net.Check(device, outputs);
  }
  session->set_slices(1);
}

using Ints = std::vector<int64_t>;

class DeviceTest : public ::testing::TestWithParam<DataType> {
 protected:
  // The zero point that stands for `code` of int8.
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
  Check(net, {y, pooled});
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
  Check(net, {z});
}

TEST_P(DeviceTest, FunctionsOfOneValueAreLookedUp) {
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
      Check(net, {y});
    }
  }
  Net net(GetParam());
  const int x = net.Input({1, 3, 5, 33}, Q(0.04f, 5));
  Check(net, {net.Op("Quantize", {x}, {}, Q(0.07f, -100))});
}

TEST_P(DeviceTest, TransposesOfAnyAxes) {
  for (const Ints& dims :
       {Ints{0, 3, 1, 2}, Ints{0, 2, 3, 1}, Ints{3, 2, 1, 0}, Ints{0, 1, 3, 2},
        Ints{1, 0, 2, 3}, Ints{0, 1, 2, 3}}) {
    for (const Shape& shape : {Shape{2, 7, 5, 33}, Shape{1, 1, 9, 128}}) {
      Net net(GetParam());
      const int x = net.Input(shape, Q(0.02f, 5));
      Check(net, {net.Op("Transpose", {x}, {{"dims", dims}}, Q(0.02f, 5))});
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
    Check(net,
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
    Check(net, {y, parts[0]});
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
    Check(net, {y, z, s});
  }
}

TEST_P(DeviceTest, PadsWithTheQuantizedConstant) {
  for (const Ints& pads :
       {Ints{0, 0, 1, 2, 3, 0, 0, 0}, Ints{0, 1, 0, 0, 0, 0, 5, 130},
        Ints{0, 0, -1, 2, 0, -2, 0, 0}}) {
    for (const float value : {0.0f, 1.3f, -100.0f}) {
      Net net(GetParam());
      const int x = net.Input({2, 4, 5, 33}, Q(0.02f, 5));
      Check(net,
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
      Check(net, {y});
    }
  }
}

TEST_P(DeviceTest, MinAndMaxValues) {
  for (const char* type : {"MIN", "MAX"}) {
    for (const Ints& axes :
         {Ints{1, 2}, Ints{3}, Ints{0}, Ints{}, Ints{2, 3}, Ints{2}}) {
      for (const Shape& shape : {Shape{2, 7, 5, 133}, Shape{1, 48, 43, 3}}) {
        SCOPED_TRACE(type);
        Net net(GetParam());
        const auto q = Q(0.02f, 5);
        const int x = net.Input(shape, q);
        const int y = net.Op("Reduce", {x},
                             {{"reduce_type", std::string(type)},
                              {"axis", axes},
                              {"keepdims", int64_t{1}}},
                             q);
        Check(net, {y});
      }
    }
  }
}

TEST_P(DeviceTest, ResizesToTheNearest) {
  for (const char* coordinate : {"ASYMMETRIC", "HALF_PIXEL", "ALIGN_CORNERS"}) {
    for (const Ints& size : {Ints{7, 12}, Ints{2, 3}, Ints{4, 6}, Ints{1, 1}}) {
      Net net(GetParam());
      const auto q = Q(0.02f, 5);
      const int x = net.Input({2, 4, 6, 33}, q);
      Check(net, {net.Op("Resize", {x},
                         {{"mode", std::string("NEAREST")},
                          {"size", size},
                          {"coordinate", std::string(coordinate)}},
                         q)});
    }
  }
  Net net(GetParam());
  const int x = net.Input({1, 4, 6, 3}, Q(0.02f, 5));
  Check(net, {net.Op("Resize", {x}, {{"scales", std::vector<float>{2, 1.5f}}},
                     Q(0.02f, 5))});
}

TEST_P(DeviceTest, InterpolatesBetweenRowsAndColumns) {
  for (const char* coordinate : {"ASYMMETRIC", "HALF_PIXEL", "ALIGN_CORNERS"}) {
    for (const Ints& size : {Ints{7, 12}, Ints{2, 3}, Ints{4, 6}, Ints{1, 9},
                             Ints{12, 7}, Ints{13, 31}}) {
      for (const int64_t channels : {1, 33, 130}) {
        Net net(GetParam());
        const auto q = Q(0.02f, 5);
        const int x = net.Input({2, 4, 6, channels}, q);
        Check(net, {net.Op("Resize", {x},
                           {{"mode", std::string("LINEAR")},
                            {"size", size},
                            {"coordinate", std::string(coordinate)}},
                           q)});
      }
    }
  }
}

TEST_P(DeviceTest, TransposedConvolutions) {
  struct Case {
    int64_t kernel;
    Ints strides, dilations;
    int64_t padding, group;
  };
  for (const Case& c : std::vector<Case>{{3, {2, 2}, {1, 1}, 1, 1},
                                         {2, {2, 2}, {1, 1}, 0, 1},
                                         {4, {2, 1}, {1, 1}, 1, 1},
                                         {3, {1, 1}, {1, 1}, 1, 1},
                                         {2, {3, 2}, {1, 1}, 0, 1},
                                         {3, {1, 2}, {2, 1}, 0, 2},
                                         {1, {2, 2}, {1, 1}, 1, 1}}) {
    SCOPED_TRACE(c.kernel);
    Net net(GetParam());
    const int x = net.Input({2, 4, 5, 8}, Q(0.02f, 5));
    const int w = net.Weight({12, 8 / c.group, c.kernel, c.kernel}, 0);
    const int y = net.Op("Deconv2d", {x, w, net.Bias(12)},
                         {{"strides", c.strides},
                          {"padding", c.padding},
                          {"dilations", c.dilations},
                          {"group", c.group},
                          {"activation", std::string("RELU")}},
                         Q(0.05f, -20));
    Check(net, {y});
  }
}

TEST_P(DeviceTest, MatricesOfActivations) {
  struct Case {
    Shape a, b;
    bool transpose_a = false, transpose_b = false;
  };
  for (const Case& c :
       std::vector<Case>{{{5, 8}, {8, 32}},
                         {{37, 64}, {64, 64}},
                         {{2, 33, 40}, {2, 40, 130}},
                         {{1, 3, 70, 24}, {2, 1, 24, 31}},
                         {{4, 9, 13}, {4, 50, 13}, false, true},
                         {{2, 3, 64, 32}, {2, 3, 64, 32}, false, true},
                         {{33, 131}, {257, 131}, false, true},
                         {{19, 6}, {19, 128}, true, false},
                         {{2, 11, 7}, {5, 11}, true, true},
                         {{3, 17}, {17}},
                         {{300}, {300, 5}},
                         {{1, 1}, {1, 1}}}) {
    SCOPED_TRACE(mace::ToString(c.a) + " times " + mace::ToString(c.b));
    Net net(GetParam());
    const int a = net.Input(c.a, Q(0.02f, 5)), b = net.Input(c.b, Q(0.03f, -9));
    Check(net, {net.Op("MatMul", {a, b},
                       {{"transpose_a", int64_t{c.transpose_a}},
                        {"transpose_b", int64_t{c.transpose_b}}},
                       Q(0.06f, 11))});
  }
}

TEST_P(DeviceTest, MatricesWithZeroPointsAtTheEnds) {
  for (const int32_t a_zero : {-128, 127}) {
    for (const int32_t b_zero : {-128, 127}) {
      for (const float scale : {0.2f, 0.0003f}) {  // with a shift to the left
        Net net(GetParam());
        const int a = net.Input({6, 1, 20}, Q(0.02f, a_zero));
        const int b = net.Input({3, 20, 9}, Q(0.03f, b_zero));
        const int y =
            net.Op("MatMul",
                   {a, net.Op("Reshape", {b}, {{"dim", Ints{1, 20, 27}}},
                              Q(0.03f, b_zero))},
                   {}, Q(scale, b_zero));
        Check(net, {y});
      }
    }
  }
}

TEST_P(DeviceTest, WhereTheLargestValueIs) {
  for (const Shape& shape :
       {Shape{2, 7, 5, 33}, Shape{1, 300, 1, 1}, Shape{3, 2, 2, 130}}) {
    for (const int64_t axis : {0, 1, 2, 3}) {
      for (const int64_t is_last : {0, 1}) {
        for (const char* type : {"i32", "i64"}) {
          Net net(GetParam());
          const int x = net.Input(shape, Q(0.02f, 5));
          // Few values, so that several are the largest.
          const int few = net.Op("Quantize", {x}, {}, Q(0.9f, 5));
          Check(net, {net.Op("ArgMax", {few},
                             {{"axis", axis},
                              {"argmin", is_last ^ (axis & 1)},
                              {"select_last", is_last},
                              {"output_type", std::string(type)}},
                             nullptr)});
        }
      }
    }
  }
}

TEST_P(DeviceTest, QuantizesAndDequantizes) {
  const std::string type = GetParam() == DataType::kU8 ? "u8" : "i8";
  for (const char* rounding : {"AWAY", "EVEN"}) {
    for (const float scale : {0.02f, 0.017f, 1.0f, 3e-5f, 1e20f, 0.25f}) {
      for (const int32_t zero : {-128, 3, 127}) {
        for (const int64_t n : {1, 31, 33, 127, 129, 5000}) {
          Net net(GetParam());
          const int x = net.Floats({n});
          const int quantized =
              net.Op("Quantize", {x},
                     {{"to", type}, {"rounding", std::string(rounding)}},
                     Q(scale, zero));
          const int y = net.Op("Dequantize", {quantized}, {}, nullptr);
          Check(net, {quantized, y});
        }
      }
    }
  }
}

TEST_P(DeviceTest, BatchesBecomeBlocksAndBack) {
  struct Case {
    Shape shape;
    Ints block, edges;
  };
  for (const Case& c : std::vector<Case>{{{2, 5, 6, 9}, {2, 3}, {1, 0, 0, 0}},
                                         {{1, 4, 4, 130}, {2, 2}, {0, 0, 0, 0}},
                                         {{1, 7, 8, 3}, {4, 2}, {0, 1, 3, 1}},
                                         {{2, 9, 33}, {3}, {0, 0}}}) {
    Net net(GetParam());
    const auto q = Q(0.02f, 5);
    const int x = net.Input(c.shape, q);
    const int y = net.Op("SpaceToBatchNd", {x},
                         {{"block_shape", c.block}, {"paddings", c.edges}}, q);
    const int z = net.Op("BatchToSpaceNd", {y},
                         {{"block_shape", c.block}, {"crops", c.edges}}, q);
    Check(net, {y, z});
  }
}

TEST_P(DeviceTest, BytesThatMoveSeveralTimes) {
  Net net(GetParam());
  const auto q = Q(0.02f, 5);
  const int x = net.Input({2, 1, 5, 33}, q);
  const auto list = [&](const Ints& values) {
    Bytes bytes(values.size() * sizeof(int64_t));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return net.Constant({DataType::kI64, {static_cast<int64_t>(values.size())}},
                        bytes);
  };
  const int expanded = net.Op("Expand", {x, list({2, 4, 5, 33})}, {}, q);
  const int tiled = net.Op("Tile", {x, list({1, 3, 2, 2})}, {}, q);
  const int gathered =
      net.Op("Gather", {x, list({4, 0, -1, 0})}, {{"axis", int64_t{2}}}, q);
  const std::vector<int> parts =
      net.Ops("Unstack", {x}, {{"axis", int64_t{2}}}, q, 5);
  Check(net, {expanded, tiled, gathered, parts[0], parts[4]});
}

TEST_P(DeviceTest, SquaredDifferencesAndSlopes) {
  for (const float scale : {0.05f, 0.4f}) {
    Net net(GetParam());
    const int a = net.Input({2, 3, 5, 40}, Q(0.02f, 5));
    const int b = net.Input({2, 1, 5, 1}, Q(0.03f, -8));
    const int d = net.Op("Eltwise", {a, b}, {{"type", std::string("SQR_DIFF")}},
                         Q(scale, -100));
    Check(net, {d});
  }
  Net net(GetParam());
  const int x = net.Input({2, 3, 5, 40}, Q(0.02f, 5));
  const int slopes =
      net.Constant({GetParam(), {1, 1, 40}, Layout::kRowMajor, Q(0.004f, -3)},
                   Random(3).Bytes(40));
  Check(net, {net.Op("PRelu", {x, slopes}, {}, Q(0.02f, 1))});
}

// 4 slices do not fit VTCM but with fewer rows, or channels, at a time.
TEST_P(DeviceTest, LayersThatAreLargerThanVtcm) {
  Net net(GetParam());
  const Ints same = {1, 1};
  const int x = net.Input({1, 9, 40, 300}, Q(0.02f, 5));
  const int a =
      net.Op("DepthwiseConv2d", {x, net.Weight({1, 300, 5, 5}, 1)},
             {{"strides", Ints{2, 1}}, {"padding", int64_t{1}}}, Q(0.09f, 3));
  const int b =
      net.Op("Conv2d", {a, net.Weight({36, 300, 5, 5}, 0), net.Bias(36)},
             {{"strides", same}, {"padding", int64_t{1}}}, Q(0.9f, -20));
  Check(net, {a, b});
}

TEST_P(DeviceTest, ViewsInARegionMoveNothing) {
  Net net(GetParam());
  const auto q = Q(0.02f, 5);
  const int x = net.Input({1, 4, 4, 8}, q);
  const int a = net.Op("Reshape", {x}, {{"dim", Ints{1, 128}}}, q);
  const int b = net.Op("Activation", {a}, {{"activation", std::string("RELU")}},
                       Q(0.03f, 2));
  const int c = net.Op("Reshape", {b}, {{"dim", Ints{2, 64}}}, Q(0.03f, 2));
  Check(net, {b, c});
  Check(net, {c});
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
