// How nodes become operations of hexagon_nn: their parameters as literals, and
// their results in the stand-in, which reads the documents independently,
// within 2 LSB of the CPU's.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "mace/hexagon/nnlib/nnlib_device.h"
#include "mace/hexagon/testing/stand_in/fixture.h"
#include "test/hexagon/net.h"

namespace mace::hexagon::nnlib {
namespace {

using testing::Net;
using testing::Scale;
using testing::StandIn;
using Ints = std::vector<int64_t>;

// Nodes round once more than the CPU, or once less.
constexpr int kTolerance = 1;

class MappingTest : public testing::StandInTest {
 protected:
  std::unique_ptr<NnlibDevice> Device(int graph_mode = 0) {
    LibraryOptions options;
    options.path = testing::kStandInPath;
    auto library = Library::Open(options);
    EXPECT_TRUE(library.ok()) << library.status().information();
    return std::make_unique<NnlibDevice>(*library, true, graph_mode);
  }

  // Checks results, and that the graph has these operations.
  void Check(Net& net, int output, const std::string& text,
             int tolerance = kTolerance) {
    const auto device = Device();
    net.Check(*device, {output}, tolerance);
    EXPECT_EQ(std::string(StandIn().text()), text);
  }

  void ExpectUnsupported(Net& net, const std::string& text) {
    const std::vector<Status> found = net.Supported(*Device());
    EXPECT_EQ(found.back().code(), Status::MACE_UNSUPPORTED);
    EXPECT_TRUE(Holds(found.back().information(), text))
        << found.back().information();
  }
};

// 0.02 * (0 - 133) and 0.02 * (255 - 133); the filter's range is that of
// uint8, and the bias is as the engine has it.
TEST_F(MappingTest, ConvolutionOfOneScale) {
  Net net(DataType::kU8);
  const int x = net.Input({2, 5, 6, 3}, Scale(0.02f, 133));
  const int y = net.Op("Conv2d", {x, net.Weight({4, 3, 3, 3}, 0), net.Bias(4)},
                       {{"strides", Ints{2, 1}}, {"padding", int64_t{1}}},
                       Scale(0.03f, 100));
  Check(net, y,
        "1 INPUT () -> [2,5,6,3]\n"
        "13 Supernode_8x8p32to8 pad1 (1:0, const[3,3,3,4], -2.66, 2.44, "
        "-0.524, 0.496, size[1,2,1,1], {-2176 -1077 -2809 -2373}, -171799, "
        "171799, -3, "
        "4.65) -> [2,3,6,4]\n"
        "14 OUTPUT (13:0)\n");
}

TEST_F(MappingTest, ConvolutionWithAScaleForEachChannel) {
  Net net(DataType::kI8);
  const int x = net.Input({1, 4, 4, 8}, Scale(0.02f, 5));
  const int y = net.Op("Conv2d", {x, net.Weight({2, 8, 1, 1}, 0), net.Bias(2)},
                       {{"strides", Ints{1, 1}},
                        {"padding", int64_t{0}},
                        {"activation", std::string("RELUX")},
                        {"max_limit", 3.0f}},
                       Scale(0.03f, -20));
  const auto device = Device();
  net.Check(*device, {y}, kTolerance);
  const std::string text = StandIn().text();
  EXPECT_TRUE(Holds(text,
                    "const[1,1,8,2], -2.66, 2.44, -0.5248, 0.5207, "
                    "size[1,1,1,1], "))
      << text;
  EXPECT_TRUE(Holds(text, ", -3.24, 4.41, {0.97561 1}) -> [1,4,4,2]")) << text;
  EXPECT_TRUE(Holds(text, "QuantizedClamp_8 (14:0, 14:1, 14:2, 0, 3) ->"))
      << text;
}

TEST_F(MappingTest, ExplicitPaddingIsPaddedBefore) {
  Net net(DataType::kI8);
  const int x = net.Input({1, 4, 5, 3}, Scale(0.02f, 5));
  const int y = net.Op("Conv2d", {x, net.Weight({4, 3, 3, 3}, 0)},
                       {{"strides", Ints{2, 2}},
                        {"padding", int64_t{4}},
                        {"padding_values", Ints{2, 1, 1, 1}}},
                       Scale(0.03f, 4));
  const auto device = Device();
  net.Check(*device, {y}, kTolerance);
  const std::string text = StandIn().text();
  EXPECT_TRUE(Holds(text,
                    "QuantizedPad_8 (1:0, -2.66, 2.44, {0 0 2 1 1 1 0 0}, 0) "
                    "-> [1,7,7,3]"))
      << text;
  EXPECT_TRUE(Holds(text, "Supernode_8x8p32to8 pad2 (")) << text;
}

TEST_F(MappingTest, DepthwiseConvolution) {
  for (const DataType type : {DataType::kU8, DataType::kI8}) {
    Net net(type);
    const int x = net.Input({1, 7, 6, 8}, Scale(0.02f, 5));
    const int y = net.Op(
        "DepthwiseConv2d", {x, net.Weight({1, 8, 3, 3}, 1), net.Bias(8)},
        {{"strides", Ints{2, 2}}, {"padding", int64_t{1}}}, Scale(0.03f, 3));
    const auto device = Device();
    net.Check(*device, {y}, kTolerance);
    EXPECT_TRUE(Holds(StandIn().text(),
                      "DepthwiseSupernode_8x8p32to8 pad1 (1:0, "
                      "const[3,3,8,1], "))
        << StandIn().text();
  }
  Net net(DataType::kI8);
  const int x = net.Input({1, 9, 9, 4}, Scale(0.02f, 5));
  net.Op("DepthwiseConv2d", {x, net.Weight({1, 4, 5, 5}, 1)},
         {{"strides", Ints{2, 2}}, {"padding", int64_t{1}}}, Scale(0.03f, 3));
  ExpectUnsupported(net, "known to compute such large windows");
}

TEST_F(MappingTest, FullyConnectedIsAConvolutionOfOneRow) {
  Net net(DataType::kI8);
  const int x = net.Input({3, 2, 4}, Scale(0.02f, 5));
  const int y =
      net.Op("FullyConnected",
             {net.Op("Flatten", {x}, {{"axis", int64_t{1}}}, Scale(0.02f, 5)),
              net.Weight({10, 8}, -1), net.Bias(10)},
             {}, Scale(0.05f, 0));
  const auto device = Device();
  net.Check(*device, {y}, kTolerance);
  const std::string text = StandIn().text();
  EXPECT_TRUE(Holds(text, "QuantizedReshape (1:0, {1 1 3 8}, ")) << text;
  EXPECT_TRUE(Holds(text, "const[1,1,8,10], ")) << text;
  EXPECT_TRUE(Holds(text, "-> [1,1,3,10]\n")) << text;
}

TEST_F(MappingTest, PoolingBySameAndValid) {
  for (const int64_t padding : {0, 1, 3}) {
    for (const int64_t type : {1, 2}) {
      Net net(DataType::kI8);
      const int x = net.Input({2, 7, 6, 5}, Scale(0.02f, 5));
      const int y = net.Op("Pooling", {x},
                           {{"pooling_type", type},
                            {"kernels", Ints{3, 2}},
                            {"strides", Ints{2, 1}},
                            {"padding", padding}},
                           Scale(0.02f, 5));
      Check(net, y,
            std::string("1 INPUT () -> [2,7,6,5]\n6 Quantized") +
                (type == 1 ? "AvgPool" : "MaxPool") + "_8 pad" +
                (padding == 0   ? "2"
                 : padding == 1 ? "1"
                                : "5") +
                " (1:0, -2.66, 2.44, size[1,3,2,1], size[1,2,1,1]) -> [2," +
                (padding == 0 ? "3,5" : "4,6") + ",5]\n7 OUTPUT (6:0)\n");
    }
  }
}

TEST_F(MappingTest, SumsDifferencesMinimaAndMaxima) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"SUM", "QuantizedAdd_8p8to8"}, {"SUB", "QuantizedSub_8p8to8"}};
  for (const auto& [type, op] : cases) {
    Net net(DataType::kU8);
    const int a = net.Input({1, 3, 4, 5}, Scale(0.02f, 100));
    const int b = net.Constant(
        {DataType::kU8, {1, 5}, Layout::kRowMajor, Scale(0.01f, 50)},
        {1, 40, 9, 250, 7});
    const int y =
        net.Op("Eltwise", {a, b}, {{"type", type}}, Scale(0.025f, 90));
    Check(net, y,
          "1 INPUT () -> [1,3,4,5]\n9 " + op +
              " (1:0, const[1,1,1,5], -2, 3.1, -0.5, 2.05, -2.25, 4.125) -> "
              "[1,3,4,5]\n10 OUTPUT (9:0)\n");
  }
  for (const char* type : {"MIN", "MAX"}) {
    Net net(DataType::kI8);
    const auto q = Scale(0.02f, 7);
    const int y =
        net.Op("Eltwise", {net.Input({1, 3, 4, 5}, q), net.Input({4, 1}, q)},
               {{"type", std::string(type)}}, q);
    net.Check(*Device(), {y}, kTolerance);
  }
}

TEST_F(MappingTest, ProductsGoThrough32Bits) {
  Net net(DataType::kI8);
  const int a = net.Input({1, 3, 4, 5}, Scale(0.02f, 5));
  const int b = net.Input({1, 3, 4, 5}, Scale(0.01f, -3));
  const int y = net.Op("Eltwise", {a, b}, {{"type", std::string("PROD")}},
                       Scale(0.03f, 1));
  Check(net, y,
        "1 INPUT () -> [1,3,4,5] -> [1,3,4,5]\n"
        "8 QuantizedMul_8x8to32 (1:0, 1:1, -2.66, 2.44, -1.25, 1.3) -> "
        "[1,3,4,5]\n"
        "9 Requantize_32to8 (8:0, 8:1, 8:2, -3.87, 3.78) -> [1,3,4,5]\n"
        "10 OUTPUT (9:0)\n");
}

TEST_F(MappingTest, FunctionsOfAValue) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"RELU",
       "Requantize_8to8 (1:0, -5.32, 4.88, -1, 0.992188) -> "
       "[1,1,3,33]\n9 QuantizedClamp_8 (6:0, 6:1, 6:2, 0, 0.992188)"},
      {"TANH",
       "QuantizedTanh_8 (1:0, -5.32, 4.88) -> [1,1,3,33]\n7 "
       "Requantize_8to8 (4:0, 4:1, 4:2, -1, 0.992188)"},
      {"SIGMOID",
       "QuantizedSigmoid_8 (1:0, -5.32, 4.88) -> [1,1,3,33]\n7 "
       "Requantize_8to8 (4:0, 4:1, 4:2, -1, 0.992188)"}};
  for (const auto& [activation, text] : cases) {
    Net net(DataType::kI8);
    const int x = net.Input({3, 33}, Scale(0.04f, 5));
    const int y = net.Op("Activation", {x}, {{"activation", activation}},
                         Scale(1.0f / 128, 0));
    const auto device = Device();
    net.Check(*device, {y}, kTolerance);
    EXPECT_TRUE(Holds(StandIn().text(), text)) << StandIn().text();
  }
  Net net(DataType::kI8);
  const int x = net.Input({1, 3, 5, 33}, Scale(0.04f, 5));
  const int y = net.Op("Quantize", {x}, {}, Scale(0.07f, -100));
  net.Check(*Device(), {y}, kTolerance);
}

TEST_F(MappingTest, SoftmaxInItsOwnRange) {
  Net net(DataType::kI8);
  const int x = net.Input({2, 10}, Scale(0.1f, 5));
  const int y =
      net.Op("Softmax", {x}, {{"axis", int64_t{-1}}}, Scale(1.0f / 256, -128));
  Check(net, y,
        "1 INPUT () -> [1,1,2,10]\n"
        "4 QuantizedSoftmax_8 (1:0, -13.3, 12.2) -> [1,1,2,10]\n"
        "7 Requantize_8to8 (4:0, 4:1, 4:2, 0, 0.996094) -> [1,1,2,10]\n"
        "8 OUTPUT (7:0)\n",
        2);  // in steps of 1/255 first
}

TEST_F(MappingTest, Moves) {
  struct Case {
    const char* op;
    AttrMap attrs;
    const char* text;
  };
  const std::vector<Case> cases = {
      {"Transpose",
       {{"dims", Ints{0, 3, 1, 2}}},
       "Transpose_8 (1:0, {0 3 1 2}, -2.66, 2.44) -> [2,8,4,6]"},
      {"Reshape",
       {{"dim", Ints{2, 24, 8}}},
       "QuantizedReshape (1:0, {1 2 24 8}, -2.66, 2.44) -> [1,2,24,8]"},
      {"Pad",
       {{"paddings", Ints{0, 0, 1, 2, 3, 0, 0, 0}}, {"constant_value", 0.5f}},
       "QuantizedPad_8 (1:0, -2.66, 2.44, {0 0 1 2 3 0 0 0}, 0.5) -> "
       "[2,7,9,8]"},
      {"DepthToSpace",
       {{"block_size", int64_t{2}}},
       "DepthToSpace_8 (1:0, 2, -2.66, 2.44) -> [2,8,12,2]"},
      {"SpaceToDepth",
       {{"block_size", int64_t{2}}},
       "SpaceToDepth_8 (1:0, 2, -2.66, 2.44) -> [2,2,3,32]"},
      {"Resize",
       {{"mode", std::string("LINEAR")}, {"size", Ints{7, 9}}},
       "QuantizedResizeBilinear_8 (1:0, {7 9}, -2.66, 2.44, 0) -> [2,7,9,8]"},
      {"Resize",
       {{"mode", std::string("LINEAR")},
        {"size", Ints{7, 9}},
        {"coordinate", std::string("ALIGN_CORNERS")}},
       "QuantizedResizeBilinear_8 (1:0, {7 9}, -2.66, 2.44, 1) -> [2,7,9,8]"},
      {"Reduce",
       {{"axis", Ints{1, 2}}},
       "QuantizedMean_8 (1:0, -2.66, 2.44, {1 2}, -2.66, 2.44) -> [2,1,1,8]"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    Net net(DataType::kI8);
    const int x = net.Input({2, 4, 6, 8}, Scale(0.02f, 5));
    const int y = net.Op(c.op, {x}, c.attrs, Scale(0.02f, 5));
    const auto device = Device();
    net.Check(*device, {y}, kTolerance);
    EXPECT_TRUE(Holds(StandIn().text(), c.text)) << StandIn().text();
  }
}

TEST_F(MappingTest, ConcatBringsInputsToOneRange) {
  Net net(DataType::kI8);
  const auto q = Scale(0.02f, 5);
  const int a = net.Input({1, 4, 6, 8}, q);
  const int b = net.Input({1, 4, 6, 3}, q);
  const int y = net.Op("Concat", {a, b}, {{"axis", int64_t{3}}}, q);
  Check(net, y,
        "1 INPUT () -> [1,4,6,8] -> [1,4,6,3]\n"
        "7 QuantizedConcat_8 (3, 1:0, 1:1, -2.66, -2.66, 2.44, 2.44) -> "
        "[1,4,6,11]\n"
        "8 OUTPUT (7:0)\n",
        0);
}

// More constants and operations than one call may have.
TEST_F(MappingTest, LongGraphsGoOverInPieces) {
  Net net(DataType::kI8);
  int x = net.Input({1, 2, 2, 4}, Scale(0.02f, 5));
  for (int i = 0; i < 200; ++i) {
    x = net.Op("Quantize", {x}, {}, Scale(i % 2 == 0 ? 0.021f : 0.02f, 5));
  }
  net.Check(*Device(), {x}, 200);
  EXPECT_EQ(StandIn().calls("hexagon_nn_append_const_node_list"), 2);
  EXPECT_EQ(StandIn().calls("hexagon_nn_append_node_list"), 2);
}

TEST_F(MappingTest, GraphModesAreSetWhereThereAre) {
  for (const int mode : {0, 1}) {
    Net net(DataType::kI8);
    const int x = net.Input({1, 2, 2, 4}, Scale(0.02f, 5));
    const int y = net.Op("Quantize", {x}, {}, Scale(0.03f, 5));
    net.Check(*Device(mode), {y}, kTolerance);
    EXPECT_EQ(StandIn().calls("hexagon_nn_set_graph_mode"), mode);
  }
}

TEST_F(MappingTest, WhatItLacksStaysWithTheCpu) {
  const auto unsupported = [&](const char* op, const AttrMap& attrs,
                               const char* text, size_t rank = 4) {
    Net net(DataType::kI8);
    Shape shape(rank, 2);
    const int x = net.Input(shape, Scale(0.02f, 5));
    net.Op(op, {x}, attrs, Scale(0.02f, 5));
    ExpectUnsupported(net, text);
  };
  unsupported("Reverse", {{"axis", Ints{1}}}, "knows no operation");
  unsupported("Softmax", {{"axis", int64_t{1}}}, "along the last axis");
  unsupported("Transpose", {{"dims", Ints{0, 1, 2, 3, 4}}},
              "at most 4 dimensions", 5);
  unsupported("DepthToSpace",
              {{"block_size", int64_t{1}}, {"mode", std::string("CRD")}},
              "the mode DCR");
  unsupported("Reduce",
              {{"reduce_type", std::string("SUM")}, {"axis", Ints{1}}},
              "MEAN along axes");
  unsupported("Pad", {{"paddings", Ints{0, 0, -1, 0, 0, 0, 0, 0}}},
              "cuts nothing");
  Net net(DataType::kI8);
  const int x = net.Input({1, 8, 8, 3}, Scale(0.02f, 5));
  net.Op("Conv2d", {x, net.Weight({4, 3, 3, 3}, 0)},
         {{"strides", Ints{1, 1}},
          {"padding", int64_t{1}},
          {"dilations", Ints{2, 2}}},
         Scale(0.03f, 4));
  ExpectUnsupported(net, "no dilation");
  // The padded input is one of its tensors, too.
  constexpr int64_t kPad = 1 << 14;
  Net padded(DataType::kI8);
  const int one = padded.Input({1, 1, 1, 3}, Scale(0.02f, 5));
  padded.Op("Conv2d", {one, padded.Weight({4, 3, 1, 1}, 0)},
            {{"strides", Ints{kPad, kPad}},
             {"padding", int64_t{4}},
             {"padding_values", Ints{kPad, kPad, kPad, kPad}}},
            Scale(0.03f, 4));
  ExpectUnsupported(padded, "below 2^28 elements, not [1,32769,32769,3]");
}

}  // namespace
}  // namespace mace::hexagon::nnlib
