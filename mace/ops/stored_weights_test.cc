// Ops with weights stored as codes: every device computes what the codes stand
// for.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

TestTensor Codes8(Shape shape, uint32_t seed) {
  return StoredAs(DataType::kI8, RandomF32(std::move(shape), seed));
}

// By NumPy 1.26, from the codes and scales written out.
TEST(StoredWeights, Literal) {
  // Rows of codes 127, -64 and 1, 127; scales 1 / 127 and 2 / 127.
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
                  Codes8({outputs, channels, kernel, kernel}, 2),
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
                Codes8({3 * out_group, in_group, 2, 3}, 2)}});
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
                Codes8({multiplier, channels, 3, 3}, 2),
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
            Codes8({6, channels / group, 3, 3}, 2), Const(RandomF32({6}, 3))}});
    }
  }
}

// A row is a pixel, or an image; and codes of 4 bits.
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
               {RandomF32({3, 9}, 1), Codes8(shape, 2)}});
      CheckOp({"MatMul",
               {{"transpose_b", transposed}},
               {RandomF32({2, 2, 4, 9}, 1), Codes8(shape, 2)}});
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
