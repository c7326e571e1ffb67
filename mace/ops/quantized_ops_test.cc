// Ops of quantized tensors. The literal values are those of LiteRT 2.3's
// reference kernels.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "mace/ops/common/op.h"
#include "mace/ops/common/quantized.h"
#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

TestTensor I8(Shape shape, const std::vector<int32_t>& values, float scale,
              int32_t zero_point) {
  return Quantized(DataType::kI8, std::move(shape), values, scale, zero_point);
}

TestTensor I16(Shape shape, const std::vector<int16_t>& values, float scale) {
  TestTensor tensor;
  tensor.type = {DataType::kI16, std::move(shape)};
  tensor.type.quantization = PerTensor(scale, 0);
  tensor.bytes.resize(values.size() * sizeof(int16_t));
  std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

// A constant filter with a scale for each index of `axis`.
TestTensor Filter(Shape shape, const std::vector<int32_t>& values,
                  const std::vector<float>& scales, int axis) {
  TestTensor w = Const(I8(std::move(shape), values, 1, 0));
  w.type.quantization = std::make_shared<const Quantization>(
      Quantization{scales, std::vector<int32_t>(scales.size(), 0), axis});
  return w;
}

TEST(Quantize, RoundsHalfAwayFromZeroAndSaturates) {
  CheckOp({"Quantize",
           {},
           {F32({8}, {-2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 100, -100})},
           1,
           {PerTensor(0.5f, -1)}},
          {I8({8}, {-6, -4, -2, 0, 2, 4, 127, -128}, 0.5f, -1)});
  CheckOp({"Quantize",
           {},
           {F32({6}, {-1.25f, -0.75f, -0.25f, 0.25f, 0.75f, 1.25f})},
           1,
           {PerTensor(0.5f, 0)}},
          {I8({6}, {-3, -2, -1, 1, 2, 3}, 0.5f, 0)});
  const float inf = std::numeric_limits<float>::infinity();
  CheckOp({"Quantize",
           {{"to", std::string("u8")}},
           {F32({3}, {inf, -inf, NAN})},
           1,
           {PerTensor(1, 7)}},
          {Quantized(DataType::kU8, {3}, {255, 0, 0}, 1, 7)});
}

TEST(Quantize, Requantizes) {
  CheckOp({"Quantize",
           {},
           {I8({5}, {-3, -1, 1, 3, 5}, 0.5f, 0)},
           1,
           {PerTensor(1, 0)}},
          {I8({5}, {-1, 0, 1, 2, 3}, 1, 0)});
  CheckOp({"Quantize",
           {{"to", std::string("u8")}},
           {I8({3}, {-128, 0, 127}, 0.1f, 0)},
           1,
           {PerTensor(0.1f, 128)}},
          {Quantized(DataType::kU8, {3}, {0, 128, 255}, 0.1f, 128)});
}

TEST(Dequantize, IsExact) {
  CheckOp({"Dequantize", {}, {I8({4}, {-128, -1, 0, 127}, 0.1f, -1)}},
          {F32({4}, {-12.7f, 0, 0.1f, 12.8f})}, 0);
}

TEST(QuantizedEltwise, InFixedPoint) {
  const TestTensor a = I8({5}, {-128, -10, 0, 50, 127}, .05f, 3);
  const TestTensor b = I8({5}, {127, -20, 5, 50, 127}, .03f, -4);
  const struct {
    const char* type;
    std::vector<int32_t> y;
  } kCases[] = {{"SUM", {-25, -10, 2, 41, 102}},
                {"SUB", {-104, -1, -3, 8, 24}},
                {"PROD", {-128, 4, 1, 39, 127}}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.type);
    CheckOp({"Eltwise",
             {{"type", std::string(c.type)}},
             {a, b},
             1,
             {PerTensor(0.1f, 1)}},
            {I8({5}, c.y, 0.1f, 1)});
  }
  CheckOp({"Eltwise",
           {{"type", std::string("SUM")},
            {"activation", std::string("RELUX")},
            {"max_limit", 6.f}},
           {a, b},
           1,
           {PerTensor(0.03f, 1)}},
          {I8({5}, {1, 1, 5, 127, 127}, 0.03f, 1)});
}

TEST(QuantizedConv2d, ScalesPerChannelAndPaddingOfZeros) {
  // Filters [[1,2],[3,4]] and [[-1,0],[5,-6]], padded at the end.
  CheckOp({"Conv2d",
           {{"padding", int64_t{1}}},
           {I8({1, 3, 3, 1}, {-40, -30, -20, -10, 0, 10, 20, 30, 40}, .1f, 2),
            Filter({2, 1, 2, 2}, {1, 2, 3, 4, -1, 0, 5, -6}, {.01f, .02f}, 0),
            Const(I32({2}, {7, -9}))},
           1,
           {PerTensor(.05f, 1)}},
          {I8({1, 3, 3, 2},
              {-2, 0, 0, 0, 1, 3, 4, -2, 6, -3, 4, 8, 3, 0, 3, -1, 2, -1}, .05f,
              1)});
}

TEST(QuantizedFullyConnected, InFixedPoint) {
  CheckOp({"FullyConnected",
           {},
           {I8({1, 3}, {10, -20, 127}, .02f, 5),
            Const(I8({2, 3}, {1, 2, 3, -4, 5, -127}, .01f, 0)),
            Const(I32({2}, {100, -300}))},
           1,
           {PerTensor(.05f, -3)}},
          {I8({1, 2}, {-1, -67}, .05f, -3)});
}

TEST(QuantizedPooling, TheMeanOfPaddingIsZero) {
  CheckOp({"Pooling",
           {{"pooling_type", int64_t{1}},
            {"kernels", Ints{1, 1}},
            {"padding", int64_t{4}},
            {"padding_values", Ints{0, 1, 0, 1}}},
           {I8({1, 1, 1, 1}, {9}, .1f, 5)}},
          {I8({1, 1, 3, 1}, {5, 9, 5}, .1f, 5)});
}

TEST(QuantizedPooling, MeansRoundHalfAwayFromZero) {
  const TestTensor x =
      I8({1, 1, 8, 1}, {-3, -2, 2, 3, -1, 0, 127, 126}, .1f, 5);
  CheckOp({"Pooling",
           {{"pooling_type", int64_t{1}},
            {"kernels", Ints{1, 2}},
            {"strides", Ints{1, 2}}},
           {x}},
          {I8({1, 1, 4, 1}, {-3, 3, -1, 127}, .1f, 5)});
  CheckOp({"Pooling",
           {{"pooling_type", int64_t{2}},
            {"kernels", Ints{1, 2}},
            {"strides", Ints{1, 2}}},
           {x}},
          {I8({1, 1, 4, 1}, {-2, 3, 0, 127}, .1f, 5)});
}

// The step of positions, in units of 1/1024, is rounded up.
TEST(QuantizedResize, StaysInTheImage) {
  const std::vector<int32_t> column(32, 7), row(257, 7);
  for (const bool tall : {false, true}) {
    const Shape x = tall ? Shape{1, 32, 1, 1} : Shape{1, 1, 32, 1};
    const Shape y = tall ? Shape{1, 257, 1, 1} : Shape{1, 1, 257, 1};
    CheckOp({"Resize",
             {{"mode", std::string("LINEAR")},
              {"coordinate", std::string("ASYMMETRIC")},
              {"size", Ints{y[1], y[2]}}},
             {I8(x, column, .1f, 5)}},
            {I8(y, row, .1f, 5)});
  }
}

TEST(QuantizedResize, InterpolatesNoOtherTypes) {
  for (const char* mode : {"LINEAR", "CUBIC"}) {
    ExpectInferError(
        {"Resize",
         {{"mode", std::string(mode)}, {"size", Ints{4, 4}}},
         {I16({1, 2, 2, 1}, {1, 2, 3, 4}, 0.5f)}},
        std::string("for ") + mode + " it must be f32, or quantized i8 or u8");
  }
}

TEST(QuantizedSoftmax, InFixedPoint) {
  const QuantizationPtr share = PerTensor(1 / 256.f, -128);
  CheckOp({"Softmax", {}, {I8({1, 4}, {10, 20, 30, 40}, 0.05f, 0)}, 1, {share}},
          {I8({1, 4}, {-102, -85, -57, -12}, 1 / 256.f, -128)});
  CheckOp({"Softmax", {}, {I8({1, 3}, {127, -128, 100}, 1, 0)}, 1, {share}},
          {I8({1, 3}, {127, -128, -128}, 1 / 256.f, -128)});
  // 256 / 300 steps are one, 256 / 600 are none.
  const auto same = [](int64_t n, int32_t code) {
    return std::vector<int32_t>(static_cast<size_t>(n), code);
  };
  for (const auto& [n, code] : {std::pair(300, -127), std::pair(600, -128)}) {
    CheckOp({"Softmax", {}, {I8({1, n}, same(n, 5), .05f, 0)}, 1, {share}},
            {I8({1, n}, same(n, code), 1 / 256.f, -128)});
  }
}

TEST(QuantizedActivation, ByFixedPointAndTables) {
  const std::vector<int32_t> values = {-128, -50, -1, 0, 1, 50, 127};
  CheckOp({"Activation",
           {{"activation", std::string("SIGMOID")}},
           {I8({7}, values, .05f, 3)},
           1,
           {PerTensor(1 / 256.f, -128)}},
          {I8({7}, {-128, -111, -13, -10, -6, 106, 127}, 1 / 256.f, -128)});
  CheckOp({"Activation",
           {{"activation", std::string("TANH")}},
           {I8({7}, values, .02f, -5)},
           1,
           {PerTensor(1 / 128.f, 0)}},
          {I8({7}, {-126, -92, 10, 13, 15, 102, 127}, 1 / 128.f, 0)});
  const std::vector<int32_t> more = {-128, -60, -20, 0, 20, 60, 127};
  CheckOp({"Activation",
           {{"activation", std::string("HARDSWISH")}},
           {I8({7}, more, .05f, 0)},
           1,
           {PerTensor(.04f, -110)}},
          {I8({7}, {-110, -110, -118, -110, -93, -35, 49}, .04f, -110)});
  CheckOp({"Activation",
           {{"activation", std::string("LEAKYRELU")},
            {"activation_coefficient", .1f}},
           {I8({7}, more, .05f, 1)},
           1,
           {PerTensor(.04f, -2)}},
          {I8({7}, {-18, -10, -5, -2, 22, 72, 127}, .04f, -2)});
  CheckOp({"Activation",
           {{"activation", std::string("RELUX")}, {"max_limit", 6.f}},
           {I8({7}, more, .05f, 1)},
           1,
           {PerTensor(.02f, -128)}},
          {I8({7}, {-128, -128, -128, -128, -80, 20, 127}, .02f, -128)});
}

TEST(QuantizedUnary, RsqrtOfLargeNumbers) {
  CheckOp({"Unary",
           {{"type", std::string("RSQRT")}},
           {I8({4}, {-1, 1, 4, 127}, std::ldexp(1.f, 34), 0)},
           1,
           {PerTensor(1, 3)}},
          {I8({4}, {127, 3, 3, 3}, 1, 3)});
}

TEST(QuantizedUnary, AbsWithScalesFarApart) {
  CheckOp({"Unary",
           {{"type", std::string("ABS")}},
           {I8({2}, {-1, 100}, 3e38f, 0)},
           1,
           {PerTensor(1e-40f, 3)}},
          {I8({2}, {3, 3}, 1e-40f, 3)});
}

TEST(QuantizedFullyConnected, SaturatesWithBiasesOf64Bits) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  CheckOp({"FullyConnected",
           {},
           {I16({1, 1}, {7}, 1), Const(I8({3, 1}, {1, -1, 2}, 1, 0)),
            Const(I64({3}, {kMax, kMin, 0}))},
           1,
           {PerTensor(std::ldexp(1.f, 20), 0)}},
          {I16({1, 3}, {32767, -32768, 0}, std::ldexp(1.f, 20))});
}

// Nothing reads quantized values as if they were wider integers.
TEST(QuantizedOps, TakeNoQuantizedIndices) {
  const TestTensor x = I8({2, 3}, {1, 2, 3, 4, 5, 6}, 1, 0);
  const TestTensor values = I8({2, 1}, {0, 1}, 1, 0);
  for (const char* op : {"Gather", "GatherElements"}) {
    ExpectInferError({op, {}, {x, values}}, "input 1");
  }
  ExpectInferError({"Reshape", {}, {x, Const(I8({1}, {6}, 1, 0))}}, "input 1");
  ExpectInferError(
      {"Reduce", {}, {x, Const(I8({1}, {1}, 1, 0))}, 1, {PerTensor(1, 0)}},
      "input 1");
  TestTensor wide = x;
  wide.type.dtype = DataType::kI16;
  wide.type.shape = {1, 3};
  ExpectInferError({"Gather", {}, {wide, values}}, "input 1");
  // Of 16 bits beside 8.
  for (const char* op : {"Concat", "Stack", "MatMul", "PRelu", "Compare"}) {
    SCOPED_TRACE(op);
    ExpectInferError(
        {op, {}, {wide, I8({1, 3}, {1, 2, 3}, 1, 0)}, 1, {PerTensor(1, 0)}},
        "input 1");
  }
}

TEST(QuantizedOps, RefuseWhatHasNoMeaning) {
  const TestTensor x = I8({1, 2, 2, 1}, {1, 2, 3, 4}, .1f, 0);
  const TestTensor w = Filter({1, 1, 1, 1}, {1}, {.1f}, 0);
  ExpectInferError({"Conv2d", {}, {x, w}}, "the file declares no scale");
  ExpectInferError({"Conv2d",
                    {},
                    {x, Filter({1, 1, 1, 1}, {1}, {.1f}, 1)},
                    1,
                    {PerTensor(1, 0)}},
                   "its scales may lie along axis 0");
  ExpectInferError(
      {"Conv2d", {}, {x, w, Const(F32({1}, {1}))}, 1, {PerTensor(1, 0)}},
      "input 2");
  ExpectInferError(
      {"Conv2d", {}, {F32({1, 1, 1, 1}, {1}), w}, 1, {PerTensor(1, 0)}},
      "it must be f32 as input 0");
  TestTensor no_scale = x;
  no_scale.type.quantization = nullptr;
  ExpectInferError({"Eltwise",
                    {{"type", std::string("SUM")}},
                    {x, no_scale},
                    1,
                    {PerTensor(1, 0)}},
                   "both must be quantized, or neither");
  ExpectInferError({"Hardmax", {}, {x}}, "takes no quantized tensors");
  ExpectInferError(
      {"Reshape", {}, {x, Const(I32({1}, {4}))}, 1, {PerTensor(.2f, 0)}},
      "the file says that output 0 is quantized as");
}

// Views keep the elements of each index of the axis together, others do not.
TEST(QuantizedOps, MoveNoScalesOfAnAxis) {
  const char kRefused[] = "the scales of an axis cannot be moved";
  const TestTensor column = Filter({2, 1}, {1, 2}, {.1f, .2f}, 0);
  const TestTensor square = Filter({2, 2}, {1, 2, 3, 4}, {.1f, .2f}, 0);
  const TestTensor x = Filter({2, 3}, {1, 2, 3, 4, 5, 6}, {.1f, .2f}, 0);
  ExpectInferError({"Tile", {{"repeats", Ints{4, 1}}}, {column}}, kRefused);
  ExpectInferError({"Transpose", {{"dims", Ints{1, 0}}}, {square}}, kRefused);
  ExpectInferError({"Reshape", {}, {x, Const(I32({2}, {3, 2}))}}, kRefused);
  const std::vector<TensorType> y =
      InferTypes({"Reshape", {}, {x, Const(I32({3}, {2, 3, 1}))}});
  ASSERT_EQ(y.size(), 1u);
  EXPECT_TRUE(AreEqual(y[0].quantization, x.type.quantization));
}

TEST(QuantizedOps, EachOutputHasOneScale) {
  const TensorType type = I8({2}, {1, 2}, 1, 0).type;
  Node node;
  node.op = "Any";
  node.inputs.resize(1);
  node.inputs[0].type = type;
  node.outputs = {type, type};
  node.output_quantization = {PerTensor(1, 0), PerTensor(2, 0)};
  const Op op = Op{"Any", 1, 1, 2, nullptr, AttrsOf<NoAttrs>}.WithQuantized(
      OnQuantized::kComputes);
  EXPECT_TRUE(QuantizeOutputs(op, node).ok());
  node.output_quantization[1] =
      Filter({2}, {1, 2}, {1, 2}, 0).type.quantization;
  const Status status = QuantizeOutputs(op, node);
  EXPECT_NE(status.information().find("scales along an axis for output 1"),
            std::string::npos)
      << status.information();
}

}  // namespace
}  // namespace mace::testing
