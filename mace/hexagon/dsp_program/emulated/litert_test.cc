// The DSP gives the results of LiteRT's reference kernels.
// SPDX-License-Identifier: Apache-2.0
//
// Expected values: ai-edge-litert 2.3.0, resolver BUILTIN_REF, models of one op
// with the scales and zero points named here.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mace/hexagon/packing/nodes.h"
#include "mace/hexagon/packing/softmax_table.h"
#include "mace/hexagon/testing/emulated_dsp.h"

namespace mace::hexagon::testing {
namespace {

using Values = std::vector<int>;

Bytes ToBytes(const Values& values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<uint8_t>(value));
  return bytes;
}

Values RunSigned(GraphWriter* writer,
                 const std::vector<std::pair<int, Bytes>>& inputs, int output) {
  const auto run = RunOnce(writer, inputs, output);
  EXPECT_TRUE(run.ok()) << run.status().information();
  Values values;
  if (!run.ok()) return values;
  for (const uint8_t byte : run->output) {
    values.push_back(static_cast<int8_t>(byte));
  }
  return values;
}

// x: scale 0.05, zero point 3; y: 0.03, -4; result: 0.1, 1.
Values Binary(BinaryKind kind, const Values& a, const Values& b) {
  const float s1 = 0.05f, s2 = 0.03f, out = 0.1f;
  BinaryParams p = {};
  p.kind = kind;
  const auto n = static_cast<int32_t>(a.size());
  for (int i = 0; i < 3; ++i) p.extents[i] = 1;
  p.extents[3] = n;
  p.a_strides[3] = p.b_strides[3] = 1;
  p.a_zero_point = 3;
  p.b_zero_point = -4;
  p.is_signed = 1;
  p.y = {1, -128, 127};
  const double unit = 2 * double{s1};
  p.a = ToFixed(s1 / unit);
  p.b = ToFixed(s2 / unit);
  p.scale = kind == kMul ? ToFixed(s1 * s2 / out)
                         : ToFixed(unit / (double{1 << 20} * out));
  GraphWriter writer;
  const int first = writer.AddInput(n), second = writer.AddInput(n);
  const int y = writer.AddOutput(n);
  writer.AddNode(kBinary, {first, second, y}, p);
  return RunSigned(&writer, {{first, ToBytes(a)}, {second, ToBytes(b)}}, y);
}

TEST(LiteRtTest, AddSubMul) {
  const Values a = {-128, -10, 0, 50, 127}, b = {127, -20, 5, 50, 127};
  EXPECT_EQ(Binary(kAdd, a, b), (Values{-25, -10, 2, 41, 102}));
  EXPECT_EQ(Binary(kSub, a, b), (Values{-104, -1, -3, 8, 24}));
  EXPECT_EQ(Binary(kMul, a, b), (Values{-128, 4, 1, 39, 127}));
}

TEST(LiteRtTest, ConvPerChannel) {
  ConvParams p = {};
  p.batch = p.groups = 1;
  p.h = p.w = {3, 3, 2, 1, 1, 0};
  p.in_per_group = 1;
  p.out_per_group = 2;
  p.x_zero_point = 2;
  p.is_signed = 1;
  p.y = {1, -128, 127};
  const int8_t values[] = {1, 2, 3, 4, -1, 0, 5, -6};
  const QuantizedFilter w = {values, true, 0, 2, 1, 4, 4, 4, 1};
  const int32_t bias[] = {7, -9};
  Scaling scaling;
  scaling.bias = bias;
  scaling.x_zero_point = 2;
  for (const float scale : {0.01f, 0.02f}) {
    scaling.factors.push_back(ToFixed(double{0.1f} * scale / 0.05f));
  }
  GraphWriter writer;
  const int x = writer.AddInput(9), y = writer.AddOutput(18);
  auto packed = PackFilter(w, 1, scaling);
  ASSERT_TRUE(packed.ok());
  AddConv(x, y, p, std::move(*packed), &writer);
  const Values in = {-40, -30, -20, -10, 0, 10, 20, 30, 40};
  EXPECT_EQ(
      RunSigned(&writer, {{x, ToBytes(in)}}, y),
      (Values{-2, 0, 0, 0, 1, 3, 4, -2, 6, -3, 4, 8, 3, 0, 3, -1, 2, -1}));
}

TEST(LiteRtTest, AveragePoolRoundsHalfAwayFromZero) {
  PoolParams p = {};
  p.batch = 1;
  p.h = {1, 1, 1, 1, 1, 0};
  p.w = {8, 4, 2, 2, 1, 0};
  p.channels = 1;
  p.is_signed = 1;
  p.least = -128;
  p.most = 127;
  GraphWriter writer;
  const int x = writer.AddInput(8), y = writer.AddOutput(4);
  writer.AddNode(kPool, {x, y}, p);
  const Values in = {-3, -2, 2, 3, -1, 0, 127, 126};
  EXPECT_EQ(RunSigned(&writer, {{x, ToBytes(in)}}, y),
            (Values{-3, 3, -1, 127}));
}

TEST(LiteRtTest, MeanFoldsTheCountIntoTheFactor) {
  FixedParams factor = ToFixed(double{0.1f} / 0.07f);
  const int n = 3, k = 1;  // floor(log2 n)
  factor.mantissa = static_cast<int32_t>((int64_t{factor.mantissa} << k) / n);
  factor.exponent -= k;
  const ReduceParams p = {2, n, 1, n * 1, factor, 1, {-2, -128, 127}};
  GraphWriter writer;
  const int x = writer.AddInput(6), y = writer.AddOutput(2);
  writer.AddNode(kReduce, {x, y}, p);
  EXPECT_EQ(RunSigned(&writer, {{x, ToBytes({1, 2, 2, 4, 8, 7})}}, y),
            (Values{-1, 6}));
}

Values Softmax(float scale, const Values& in) {
  auto table = MakeSoftmaxTable(scale);
  const auto n = static_cast<int32_t>(in.size());
  const SoftmaxParams p = {1, n, table->least_difference, 1};
  GraphWriter writer;
  const int x = writer.AddInput(n);
  const int exps = writer.AddConstant(std::move(table->exponentials));
  const int y = writer.AddOutput(n);
  writer.AddNode(kSoftmax, {x, exps, y}, p);
  return RunSigned(&writer, {{x, ToBytes(in)}}, y);
}

TEST(LiteRtTest, Softmax) {
  EXPECT_EQ(Softmax(0.05f, {10, 20, 30, 40}), (Values{-102, -85, -57, -12}));
  EXPECT_EQ(Softmax(0.1f, {0, 0, 0}), (Values{-43, -43, -43}));
  EXPECT_EQ(Softmax(1.0f, {127, -128, 100}), (Values{127, -128, -128}));
  // 256 / 300 steps are one, 256 / 600 are none.
  EXPECT_EQ(Softmax(0.05f, Values(300, 5)), Values(300, -127));
  EXPECT_EQ(Softmax(0.05f, Values(600, 5)), Values(600, -128));
}

TEST(LiteRtTest, ResizeBilinear) {
  // 1x2 to 1x5 with pixel centres at one half.
  std::vector<int32_t> columns;
  const int32_t step = ((2 << 10) + 2) / 5;
  for (int32_t i = 0; i < 5; ++i) {
    const int32_t at = i * step + step / 2 - 512;
    const int32_t low = std::max(at / 1024, 0);
    columns.insert(columns.end(),
                   {low, std::min((at + 1023) / 1024, 1), at - 1024 * low});
  }
  const int32_t rows[] = {0, 0, 0};
  GraphWriter writer;
  const int x = writer.AddInput(2);
  const int r = writer.AddConstant(rows, sizeof(rows));
  const int c = writer.AddConstant(columns.data(), 60);
  const int y = writer.AddOutput(5);
  writer.AddNode(kResizeBilinear, {x, r, c, y}, ResizeParams{1, 1, 2, 1, 5, 1});
  EXPECT_EQ(RunSigned(&writer, {{x, ToBytes({-10, 11})}}, y),
            (Values{-10, -8, 1, 9, 11}));
}

TEST(LiteRtTest, DepthwiseWithTwoOutputsPerChannel) {
  // One channel: a convolution with two outputs.
  ConvParams p = {};
  p.batch = 1;
  p.h = {1, 1, 1, 1, 1, 0};
  p.w = {3, 2, 2, 1, 1, 0};
  p.groups = 1;
  p.in_per_group = 1;
  p.out_per_group = 2;
  p.x_zero_point = -1;
  p.is_signed = 1;
  p.y = {2, -128, 127};
  const int8_t values[] = {3, 7, -5, 11};  // output by tap
  const QuantizedFilter w = {values, true, 0, 2, 1, 2, 2, 2, 1};
  const int32_t bias[] = {1, -1};
  Scaling scaling;
  scaling.bias = bias;
  scaling.x_zero_point = -1;
  for (const float scale : {0.02f, 0.03f}) {
    scaling.factors.push_back(ToFixed(double{0.1f} * scale / 0.05f));
  }
  GraphWriter writer;
  const int x = writer.AddInput(3), y = writer.AddOutput(4);
  auto packed = PackFilter(w, 1, scaling);
  ASSERT_TRUE(packed.ok());
  AddConv(x, y, p, std::move(*packed), &writer);
  EXPECT_EQ(RunSigned(&writer, {{x, ToBytes({10, -20, 30})}}, y),
            (Values{-2, -14, 8, 28}));
}

}  // namespace
}  // namespace mace::hexagon::testing
