// Pooling: meaning and kernels.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kAverage = 1, kMax = 2, kL2 = 3;

// Values from onnxruntime 1.20.
TEST(Pooling, AverageSame) {
  CheckOp({"Pooling",
           {{"pooling_type", kAverage},
            {"kernels", Ints{2, 3}},
            {"strides", Ints{1, 2}},
            {"padding", int64_t{1}}},
           {RandomF32({1, 4, 5, 2}, 30)}},
          {F32({1, 4, 3, 2},
               {0.18165237f,   0.33134955f,   0.0066500306f, -0.027241865f,
                0.059321404f,  -0.09335077f,  0.009391665f,  -0.023183972f,
                0.21389025f,   -0.018772343f, 0.34654474f,   -0.46744984f,
                -0.51707745f,  -0.5255067f,   0.084771015f,  -0.2847267f,
                0.08743599f,   -0.2367774f,   -0.7145254f,   -0.47718114f,
                -0.049903076f, -0.4334799f,   -0.5258332f,   -0.0748328f})});
}

TEST(Pooling, MaxDilatedExplicit) {
  CheckOp({"Pooling",
           {{"pooling_type", kMax},
            {"kernels", Ints{2, 2}},
            {"strides", Ints{1, 2}},
            {"dilations", Ints{2, 1}},
            {"padding", int64_t{4}},
            {"padding_values", Ints{1, 0, 0, 1}}},
           {RandomF32({1, 4, 5, 2}, 30)}},
          {F32({1, 3, 3, 2},
               {0.9835019f, 0.854787f, 0.1713885f, 0.39330184f, -0.18661988f,
                -0.11955297f, 0.28828704f, 0.8339559f, 0.5337101f, 0.94860995f,
                0.9252156f, 0.41282868f, 0.9835019f, 0.854787f, 0.98838735f,
                0.39330184f, -0.18661988f, 0.73021114f})});
}

TEST(Pooling, Global) {
  CheckOp({"Pooling",
           {{"pooling_type", kAverage}, {"global", int64_t{1}}},
           {RandomF32({1, 4, 5, 2}, 30)}},
          {F32({1, 1, 1, 2}, {0.003314042f, -0.046996105f})});
}

// The windows of the last column extend one element beyond the padded input.
// That element does not count. Values from NumPy 1.26; onnxruntime 1.20 counts
// it.
TEST(Pooling, AverageCeilIncludePad) {
  CheckOp({"Pooling",
           {{"pooling_type", kAverage},
            {"kernels", Ints{3, 3}},
            {"strides", Ints{2, 2}},
            {"round_mode", int64_t{1}},
            {"count_include_pad", int64_t{1}},
            {"padding", int64_t{4}},
            {"padding_values", Ints{1, 1, 0, 0}}},
           {RandomF32({1, 4, 5, 2}, 30)}},
          {F32({1, 2, 3, 2},
               {0.08073439f, 0.14726646f, 0.004433354f, -0.018161245f,
                0.039547604f, -0.062233847f, -0.15460935f, -0.11634424f,
                0.12595914f, -0.1570082f, 0.0557521f, -0.3365775f})});
}

// TFLite's L2_POOL_2D: the root of the mean of squares.
TEST(Pooling, L2) {
  CheckOp({"Pooling",
           {{"pooling_type", kL2}, {"kernels", Ints{2, 2}}},
           {F32({1, 2, 2, 1}, {1, 7, -5, 5})}},
          {F32({1, 1, 1, 1}, {5})});
}

// A last window that would start after the input is dropped.
TEST(Pooling, CeilShapes) {
  const auto extent = [](int64_t in, int64_t kernel, int64_t stride,
                         int64_t pad) {
    return InferTypes({"Pooling",
                       {{"pooling_type", kMax},
                        {"kernels", Ints{kernel, 1}},
                        {"strides", Ints{stride, 1}},
                        {"round_mode", int64_t{1}},
                        {"padding", int64_t{4}},
                        {"padding_values", Ints{pad, 0, pad, 0}}},
                       {RandomF32({1, in, 1, 1}, 1)}})
        .at(0)
        .shape[1];
  };
  EXPECT_EQ(extent(5, 2, 2, 0), 3);
  EXPECT_EQ(extent(4, 2, 2, 1), 3);
  EXPECT_EQ(extent(3, 1, 3, 0), 1);
  EXPECT_EQ(extent(5, 1, 3, 1), 2);
}

TEST(Pooling, Sizes) {
  for (int64_t type : {kAverage, kMax, kL2}) {
    for (int64_t channels : {1, 37}) {
      for (int64_t padding : {0, 1, 2}) {
        for (int64_t global : {0, 1}) {
          SCOPED_TRACE(ToString(Shape{type, channels, padding, global}));
          CheckOp({"Pooling",
                   {{"pooling_type", type},
                    {"kernels", Ints{3, 2}},
                    {"strides", Ints{2, 2}},
                    {"padding", padding},
                    {"round_mode", int64_t{1}},
                    {"global", global},
                    {"activation", "RELUX"},
                    {"max_limit", 0.75f}},
                   {RandomF32({2, 8, 11, channels}, 1)}});
        }
      }
    }
  }
}

// Few channels and large windows, which are pooled line by line: strides,
// dilations, padding with windows that have no inputs, and partial vectors.
TEST(Pooling, Lines) {
  for (int64_t type : {kAverage, kMax, kL2}) {
    for (int64_t channels : {1, 2, 3, 16, 19}) {
      for (int64_t kernel : {2, 5, 9}) {
        for (int64_t stride : {1, 2, 3}) {
          for (int64_t dilation : {1, 2}) {
            SCOPED_TRACE(
                ToString(Shape{type, channels, kernel, stride, dilation}));
            const int64_t pad = kernel / 2 * dilation;
            CheckOp({"Pooling",
                     {{"pooling_type", type},
                      {"kernels", Ints{kernel, kernel}},
                      {"strides", Ints{stride, stride}},
                      {"dilations", Ints{dilation, dilation}},
                      {"padding", int64_t{4}},
                      {"padding_values", Ints{pad, pad, 0, pad}},
                      {"count_include_pad", stride % 2},
                      {"activation", stride == 3 ? "TANH" : "RELU"}},
                     {RandomF32({2, 18, 23, channels}, 1)}});
          }
        }
      }
    }
  }
}

// The first and the last windows lie entirely in the padding.
TEST(Pooling, LinesOfPaddingOnly) {
  for (int64_t type : {kAverage, kMax, kL2}) {
    CheckOp({"Pooling",
             {{"pooling_type", type},
              {"kernels", Ints{3, 3}},
              {"strides", Ints{1, 1}},
              {"padding", int64_t{4}},
              {"padding_values", Ints{4, 5, 4, 5}},
              {"activation", "RELUX"},
              {"max_limit", 0.5f}},
             {RandomF32({1, 4, 6, 1}, 1)}});
  }
}

TEST(Pooling, NanGoesThroughLines) {
  std::vector<float> x(40, 1), y(40, 1);
  x[20] = NAN;
  x[3] = -INFINITY;
  for (int k = 18; k <= 22; ++k) y[k] = NAN;
  CheckOp({"Pooling",
           {{"pooling_type", kMax},
            {"kernels", Ints{5, 5}},
            {"strides", Ints{1, 1}},
            {"padding", int64_t{1}}},
           {F32({1, 1, 40, 1}, x)}},
          {F32({1, 1, 40, 1}, y)});
}

TEST(Pooling, NanGoesThrough) {
  CheckOp({"Pooling",
           {{"pooling_type", kMax}, {"kernels", Ints{1, 3}}},
           {F32({1, 1, 4, 1}, {1, NAN, 2, 3})}},
          {F32({1, 1, 2, 1}, {NAN, NAN})});
}

// Nearly all taps are outside of the image.
TEST(Pooling, HugeKernels) {
  constexpr int64_t kHuge = int64_t{1} << 30;
  std::vector<float> x(12), largest(12, 11);
  for (int i = 0; i < 12; ++i) x[i] = static_cast<float>(i);
  const auto pool = [&](int64_t type, int64_t kernel, int64_t dilation) {
    return OpCase{"Pooling",
                  {{"pooling_type", type},
                   {"kernels", Ints{kernel, kernel}},
                   {"dilations", Ints{dilation, dilation}},
                   {"padding", int64_t{1}}},
                  {F32({1, 3, 4, 1}, x)}};
  };
  CheckOp(pool(kMax, kHuge, 1), {F32({1, 3, 4, 1}, largest)});
  CheckOp(pool(kAverage, kHuge, 1),
          {F32({1, 3, 4, 1}, std::vector<float>(12, 5.5f))});
  // The middle tap alone is inside, or none is.
  CheckOp(pool(kAverage, 3, kHuge / 4), {F32({1, 3, 4, 1}, x)});
  CheckOp(pool(kL2, 2, kHuge - 1));
}

TEST(Pooling, Errors) {
  const auto x = RandomF32({1, 4, 4, 1}, 1);
  ExpectInferError(
      {"Pooling", {{"kernels", Ints{2, 2}}}, {x}},
      "pooling_type 0 must be one of AVERAGE (1), MAX (2), L2 (3)");
  ExpectInferError({"Pooling", {{"pooling_type", kMax}}, {x}},
                   "attribute 'kernels' needs 2 values, got 0");
  ExpectInferError(
      {"Pooling", {{"pooling_type", kMax}, {"kernels", Ints{0, 2}}}, {x}},
      "kernel 0x2 over [1,4,4,1] is out of range");
}

}  // namespace
}  // namespace mace::testing
