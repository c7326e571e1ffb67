// Ops with quantized weights: every device computes with their dequantized
// values.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <memory>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

TestTensor Int8(Shape shape, uint32_t seed) {
  return StoredAs(DataType::kI8, RandomF32(std::move(shape), seed));
}

// By NumPy 1.26, from the quantized values and scales written out.
TEST(StoredWeights, Literal) {
  // Rows of 127, -64 and 1, 127; scales 1 / 127 and 2 / 127.
  const TestTensor w =
      StoredAs(DataType::kI8, F32({2, 2}, {1, -64 / 127.0f, 2 / 127.0f, 2}));
  CheckOp({"FullyConnected", {}, {F32({1, 2}, {3, 5}), w}},
          {F32({1, 2}, {0.48031497f, 10.047244f})});
  CheckOp({"Conv2d",
           {{"activation", "RELUX"}, {"max_limit", 9.5f}},
           {F32({1, 1, 2, 2}, {3, 5, -2, 0.5f}),
            StoredAs(DataType::kI8,
                     F32({2, 2, 1, 1}, {1, -64 / 127.0f, 2 / 127.0f, 2})),
            Const(F32({2}, {0.25f, -1}))}},
          {F32({1, 1, 2, 2}, {0.73031497f, 9.047244f, 0, 0})});
}

TEST(StoredWeights, Conv2d) {
  for (const int64_t channels : {1, 3, 8, 21}) {
    for (const int64_t outputs : {1, 4, 7, 20}) {
      for (const int64_t kernel : {1, 3}) {
        SCOPED_TRACE(ToString(Shape{channels, outputs, kernel}));
        CheckOp({"Conv2d",
                 {{"strides", Ints{1 + outputs % 2, 1}},
                  {"padding", int64_t{1}},
                  {"activation", "RELU"}},
                 {RandomF32({2, 5, 6, channels}, 1),
                  Int8({outputs, channels, kernel, kernel}, 2),
                  Const(RandomF32({outputs}, 3))}});
      }
    }
  }
}

TEST(StoredWeights, Conv2dInGroups) {
  for (const int64_t in_group : {1, 3, 4}) {
    for (const int64_t out_group : {1, 4, 5}) {
      SCOPED_TRACE(ToString(Shape{in_group, out_group}));
      CheckOp({"Conv2d",
               {{"group", int64_t{3}},
                {"dilations", Ints{2, 1}},
                {"padding", int64_t{2}}},
               {RandomF32({2, 6, 5, 3 * in_group}, 1),
                Int8({3 * out_group, in_group, 2, 3}, 2)}});
    }
  }
}

// Scales from very small to large ones, and a row of zeros.
TEST(StoredWeights, Scales) {
  const Shape shape = {6, 9, 1, 1};
  TestTensor w = RandomF32(shape, 1);
  auto* values = reinterpret_cast<float*>(w.bytes.data());
  const float factors[] = {1e-6f, 1, 16, 0, 1e-3f, 1e-8f};
  for (int64_t i = 0; i < NumElements(shape); ++i) values[i] *= factors[i / 9];
  CheckOp(
      {"Conv2d", {}, {RandomF32({1, 3, 3, 9}, 2), StoredAs(DataType::kI8, w)}});
}

TEST(StoredWeights, DepthwiseConv2d) {
  for (const int64_t channels : {1, 6, 16}) {
    for (const int64_t multiplier : {1, 3}) {
      SCOPED_TRACE(ToString(Shape{channels, multiplier}));
      CheckOp({"DepthwiseConv2d",
               {{"strides", Ints{2, 1}},
                {"padding", int64_t{1}},
                {"activation", "TANH"}},
               {RandomF32({2, 7, 6, channels}, 1),
                Int8({multiplier, channels, 3, 3}, 2),
                Const(RandomF32({multiplier * channels}, 3))}});
    }
  }
}

TEST(StoredWeights, Deconv2d) {
  for (const int64_t group : {1, 3}) {
    for (const int64_t channels : {3, 12}) {
      SCOPED_TRACE(ToString(Shape{group, channels}));
      CheckOp(
          {"Deconv2d",
           {{"strides", Ints{2, 2}},
            {"group", group},
            {"padding", int64_t{4}},
            {"padding_values", Ints{1, 1, 1, 1}}},
           {RandomF32({2, 3, 4, channels}, 1),
            Int8({6, channels / group, 3, 3}, 2), Const(RandomF32({6}, 3))}});
    }
  }
}

// A row is a pixel, or an image; and int4.
TEST(StoredWeights, FullyConnected) {
  for (const DataType stored : {DataType::kI8, DataType::kU8}) {
    for (const int64_t outputs : {1, 10, 64}) {
      SCOPED_TRACE(ToString(Shape{outputs}));
      CheckOp({"FullyConnected",
               {{"activation", "SIGMOID"}},
               {RandomF32({3, 37}, 1),
                StoredAs(stored, RandomF32({outputs, 37}, 2)),
                Const(RandomF32({outputs}, 3))}});
      CheckOp({"FullyConnected",
               {},
               {RandomF32({2, 2, 3, 7}, 1),
                StoredAs(stored, RandomF32({outputs, 42}, 2))}});
    }
  }
}

// Sums of one scale where the matrix has a row for each output.
TEST(StoredWeights, MatMul) {
  for (const int64_t transposed : {0, 1}) {
    for (const int64_t outputs : {5, 12}) {
      const Shape shape = transposed ? Shape{outputs, 9} : Shape{9, outputs};
      CheckOp({"MatMul",
               {{"transpose_b", transposed}},
               {RandomF32({3, 9}, 1), Int8(shape, 2)}});
      CheckOp({"MatMul",
               {{"transpose_b", transposed}},
               {RandomF32({2, 2, 4, 9}, 1), Int8(shape, 2)}});
    }
  }
}

// Of one axis; zero points from `first_zero` on.
QuantizationPtr PerAxis(int axis, int64_t extent, int32_t first_zero = 0,
                        int32_t step = 0) {
  auto q = std::make_shared<Quantization>();
  q->axis = axis;
  for (int64_t i = 0; i < extent; ++i) {
    q->scales.push_back(0.003f * static_cast<float>(1 + i % 5));
    q->zero_points.push_back(first_zero + static_cast<int32_t>(i) * step);
  }
  return q;
}

// By NumPy 1.26: quantized values 100, -128 and 3, 127 less 3 are 97, -131 and
// 0, 124.
TEST(StoredWeights, LiteralWithAZeroPoint) {
  const TestTensor w =
      StoredAs(PerTensor(0.5f, 3), F32({2, 2}, {48.5f, -65.5f, 0, 62}));
  CheckOp({"FullyConnected", {}, {F32({1, 2}, {3, 5}), w}},
          {F32({1, 2}, {-182, 310})});
}

// Zero points at the ends of the range and within it.
TEST(StoredWeights, ZeroPoints) {
  for (const int32_t zero : {-128, -1, 0, 77, 127}) {
    SCOPED_TRACE(zero);
    const auto quantized = [zero](Shape shape) {
      return StoredAs(PerTensor(0.01f, zero), RandomF32(std::move(shape), 2));
    };
    CheckOp({"Conv2d",
             {{"padding", int64_t{1}}, {"activation", "RELU"}},
             {RandomF32({2, 5, 6, 7}, 1), quantized({9, 7, 3, 3}),
              Const(RandomF32({9}, 3))}});
    CheckOp({"Conv2d",
             {{"group", int64_t{3}}, {"padding", int64_t{2}}},
             {RandomF32({1, 6, 5, 9}, 1), quantized({15, 3, 2, 3})}});
    CheckOp({"Deconv2d",
             {{"strides", Ints{2, 2}},
              {"padding", int64_t{4}},
              {"padding_values", Ints{1, 1, 1, 1}}},
             {RandomF32({2, 3, 4, 5}, 1), quantized({6, 5, 3, 3}),
              Const(RandomF32({6}, 3))}});
    CheckOp({"FullyConnected",
             {},
             {RandomF32({2, 2, 3, 7}, 1), quantized({10, 42}),
              Const(RandomF32({10}, 3))}});
    for (const int64_t multiplier : {1, 3}) {
      CheckOp({"DepthwiseConv2d",
               {{"padding", int64_t{1}}},
               {RandomF32({2, 7, 6, 6}, 1), quantized({multiplier, 6, 3, 3}),
                Const(RandomF32({multiplier * 6}, 3))}});
    }
    for (const int64_t transposed : {0, 1}) {
      CheckOp({"MatMul",
               {{"transpose_b", transposed}},
               {RandomF32({3, 9}, 1),
                quantized(transposed ? Shape{5, 9} : Shape{9, 5})}});
    }
    CheckOp({"Gather", {}, {quantized({9, 5}), Const(I32({3}, {8, 0, 4}))}});
  }
}

// Scales of the channels of a depthwise convolution; and of axes, and zero
// points, of which kernels of GPUs make floats.
TEST(StoredWeights, AxesOfScales) {
  for (const int64_t multiplier : {1, 3}) {
    for (const int axis : {0, 1, 3}) {
      SCOPED_TRACE(axis);
      const Shape shape = {multiplier, 6, 3, 3};
      CheckOp({"DepthwiseConv2d",
               {{"padding", int64_t{1}}},
               {RandomF32({2, 7, 6, 6}, 1),
                StoredAs(PerAxis(axis, shape[axis]), RandomF32(shape, 2)),
                Const(RandomF32({multiplier * 6}, 3))}});
    }
  }
  for (const int axis : {0, 1}) {
    for (const int32_t step : {0, 2}) {
      const Shape shape = {10, 7};
      const TestTensor w =
          StoredAs(PerAxis(axis, shape[axis], -5, step), RandomF32(shape, 2));
      CheckOp({"FullyConnected", {}, {RandomF32({3, 7}, 1), w}});
      CheckOp(
          {"MatMul", {{"transpose_b", int64_t{1}}}, {RandomF32({3, 7}, 1), w}});
      CheckOp({"Gather", {}, {w, Const(I32({2}, {9, 3}))}});
    }
  }
}

// Weights of 16 bits become floats as they are uploaded.
TEST(StoredWeights, Fp16) {
  for (const DataType stored : {DataType::kF16, DataType::kBF16}) {
    // A CPU that multiplies in this type rounds activations to it, and adds up
    // products of fp16 in fp16 (docs/performance_arm.md has the bound).
    const float tolerance = stored == DataType::kF16 ? 4e-3f : 8e-3f;
    CheckOp({"Conv2d",
             {{"padding", int64_t{1}}},
             {RandomF32({1, 8, 8, 5}, 1),
              StoredAs(stored, RandomF32({6, 5, 3, 3}, 2)),
              Const(RandomF32({6}, 3))}},
            tolerance);
    CheckOp({"FullyConnected",
             {},
             {RandomF32({2, 9}, 1), StoredAs(stored, RandomF32({5, 9}, 2))}},
            tolerance);
  }
}

}  // namespace
}  // namespace mace::testing
