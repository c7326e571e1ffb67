// Ops that repeat, fill, reverse or interleave: meaning and kernels. Literal
// values are those of NumPy 1.26 and TensorFlow 2.19.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <numeric>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

// Returns 0, 1, 2, ...
TestTensor Count(const Shape& shape) {
  std::vector<float> values(NumElements(shape));
  std::iota(values.begin(), values.end(), 0.0f);
  return F32(shape, values);
}

TEST(Tile, Literal) {
  CheckOp({"Tile", {{"repeats", Ints{1, 2}}}, {Count({2, 2})}},
          {F32({2, 4}, {0, 1, 0, 1, 2, 3, 2, 3})});
  CheckOp({"Tile", {}, {I32({2}, {1, 2}), Const(I64({1}, {3}))}},
          {I32({6}, {1, 2, 1, 2, 1, 2})});
  CheckOp({"Tile", {{"repeats", Ints{0}}}, {I32({2}, {1, 2})}}, {I32({0}, {})});
  CheckOp({"Tile", {{"repeats", Ints{2, 1, 3}}}, {RandomF32({5, 40, 33}, 1)}},
          0);
  ExpectInferError({"Tile", {{"repeats", Ints{1}}}, {Count({2, 2})}},
                   "repeats [1] must hold a number, 0 or larger, for each axis "
                   "of x f32[2,2]");
  ExpectInferError(
      {"Tile", {{"repeats", Ints{int64_t{1} << 60}}}, {Count({2})}},
      "is too large");
}

TEST(Expand, Literal) {
  CheckOp({"Expand", {{"shape", Ints{2, 1, 3}}}, {F32({2, 1}, {1, 2})}},
          {F32({2, 2, 3}, {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2})});
  CheckOp({"Expand", {}, {F32({3}, {1, 2, 3}), Const(I32({1}, {1}))}},
          {F32({3}, {1, 2, 3})});
  CheckOp({"Expand", {{"shape", Ints{2, 0}}}, {F32({1}, {1})}},
          {F32({2, 0}, {})});
  CheckOp(
      {"Expand", {{"shape", Ints{2, 1, 40, 1}}}, {RandomF32({3, 1, 70}, 1)}},
      0);
  ExpectInferError({"Expand", {{"shape", Ints{2}}}, {Count({3})}},
                   "do not broadcast together");
  ExpectInferError({"Expand", {{"shape", Ints{-1}}}, {Count({3})}},
                   "negative extent");
}

TEST(Fill, Literal) {
  CheckOp({"Fill", {{"value", 2.5f}}, {Const(I64({2}, {2, 2}))}},
          {F32({2, 2}, {2.5f, 2.5f, 2.5f, 2.5f})});
  CheckOp({"Fill",
           {{"value", 1.0f}, {"dtype", std::string("bool")}},
           {Const(I32({1}, {3}))}},
          {Bool({3}, {1, 1, 1})});
  CheckOp({"Fill",
           {{"value", -7.0f}, {"dtype", std::string("i64")}},
           {I64({0}, {})}},
          {I64({}, {-7})});
  CheckOp({"Fill", {}, {Const(I32({2}, {300, 1000}))}}, 0);
  ExpectInferError({"Fill", {}, {I32({1}, {3})}},
                   "shape (input 0, i32[1]) must be known");
  ExpectInferError({"Fill", {}, {Const(I32({1}, {-3}))}}, "negative extent");
}

TEST(Range, Literal) {
  const auto i64 = [](int64_t v) { return Const(I64({}, {v})); };
  const auto f32 = [](float v) { return Const(F32({1}, {v})); };
  CheckOp({"Range", {}, {i64(2), i64(9), i64(3)}}, {I64({3}, {2, 5, 8})});
  CheckOp({"Range", {}, {i64(4), i64(-1), i64(-2)}}, {I64({3}, {4, 2, 0})});
  CheckOp({"Range", {}, {i64(4), i64(4), i64(1)}}, {I64({0}, {})});
  CheckOp({"Range", {}, {i64(INT64_MAX - 2), i64(INT64_MAX), i64(2)}},
          {I64({1}, {INT64_MAX - 2})});
  CheckOp({"Range", {}, {f32(1), f32(2), f32(0.3f)}},
          {F32({4}, {1, 1.3f, 1.6f, 1.9f})});
  CheckOp({"Range",
           {},
           {Const(I32({}, {0})), Const(I32({}, {2})), Const(I32({}, {1}))}},
          {I32({2}, {0, 1})});
  ExpectInferError({"Range", {}, {i64(0), i64(5), i64(0)}},
                   "from 0 to 5 in steps of 0 is no finite range");
  ExpectInferError({"Range", {}, {f32(0), f32(1), f32(0)}}, "no finite range");
  ExpectInferError({"Range", {}, {i64(INT64_MIN), i64(INT64_MAX), i64(1)}},
                   "no finite range");
  ExpectInferError(
      {"Range", {}, {i64(0), I64({}, {5}), i64(1)}},
      "limit (input 1, i64[]) must be known before the model runs");
}

TEST(Reverse, Literal) {
  CheckOp({"Reverse", {{"axis", Ints{1}}}, {Count({2, 3})}},
          {F32({2, 3}, {2, 1, 0, 5, 4, 3})});
  CheckOp({"Reverse", {{"axis", Ints{0, -1}}}, {Count({2, 3})}},
          {F32({2, 3}, {5, 4, 3, 2, 1, 0})});
  CheckOp({"Reverse", {{"axis", Ints{0}}}, {F32({0, 3}, {})}},
          {F32({0, 3}, {})});
  CheckOp({"Reverse", {{"axis", Ints{1, 2}}}, {RandomF32({3, 50, 60, 7}, 1)}},
          0);
  ExpectInferError({"Reverse", {{"axis", Ints{2}}}, {Count({2, 3})}},
                   "axis 2 is out of range");
}

TEST(Unstack, EveryAxis) {
  const TestTensor x = Count({2, 2, 2});
  CheckOp({"Unstack", {}, {x}, 2},
          {F32({2, 2}, {0, 1, 2, 3}), F32({2, 2}, {4, 5, 6, 7})});
  CheckOp({"Unstack", {{"axis", int64_t{1}}}, {x}, 2},
          {F32({2, 2}, {0, 1, 4, 5}), F32({2, 2}, {2, 3, 6, 7})});
  CheckOp({"Unstack", {{"axis", int64_t{-1}}}, {x}, 2},
          {F32({2, 2}, {0, 2, 4, 6}), F32({2, 2}, {1, 3, 5, 7})});
  ExpectInferError({"Unstack", {}, {x}, 3},
                   "axis 0 of x f32[2,2,2] must have an extent for each of 3 "
                   "outputs");
}

TEST(ChannelShuffle, Literal) {
  CheckOp({"ChannelShuffle", {{"group", int64_t{2}}}, {Count({2, 6})}},
          {F32({2, 6}, {0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11})});
  CheckOp({"ChannelShuffle",
           {{"group", int64_t{3}}},
           {RandomF32({2, 9, 11, 48}, 1)}},
          0);
  ExpectInferError({"ChannelShuffle", {{"group", int64_t{4}}}, {Count({2, 6})}},
                   "group 4 must divide the channels of x f32[2,6]");
}

TEST(SpaceToBatchNd, Literal) {
  CheckOp({"SpaceToBatchNd",
           {{"block_shape", Ints{2, 2}}, {"paddings", Ints{1, 0, 2, 0}}},
           {Count({1, 3, 4, 1})}},
          {F32({4, 2, 3, 1}, {0, 0, 0, 0, 4, 6,  0, 0, 0, 0, 5, 7,
                              0, 0, 2, 0, 8, 10, 0, 1, 3, 0, 9, 11})});
  CheckOp({"SpaceToBatchNd",
           {{"block_shape", Ints{3}}, {"paddings", Ints{1, 1}}},
           {Count({1, 4, 2})}},
          {F32({3, 2, 2}, {0, 0, 4, 5, 0, 1, 6, 7, 2, 3, 0, 0})});
  CheckOp({"SpaceToBatchNd",
           {{"block_shape", Ints{3, 2}}, {"paddings", Ints{4, 3, 0, 1}}},
           {RandomF32({2, 11, 13, 5}, 1)}},
          0);
}

TEST(SpaceToBatchNd, Errors) {
  const TestTensor x = Count({1, 3, 4, 1});
  ExpectInferError({"SpaceToBatchNd",
                    {{"block_shape", Ints{2, 2}}, {"paddings", Ints(4)}},
                    {x}},
                   "does not divide padded extent 3 of axis 1");
  ExpectInferError({"SpaceToBatchNd", {{"block_shape", Ints{2}}}, {x}},
                   "must hold one and two numbers for each of the axes");
  ExpectInferError({"SpaceToBatchNd",
                    {{"block_shape", Ints{0}}, {"paddings", Ints(2)}},
                    {x}},
                   "block_shape [0] must be 1 or larger");
  ExpectInferError({"SpaceToBatchNd",
                    {{"block_shape", Ints{1}}, {"paddings", Ints{-1, 0}}},
                    {x}},
                   "paddings [-1,0] must be 0 or larger");
}

TEST(BatchToSpaceNd, Literal) {
  CheckOp({"BatchToSpaceNd",
           {{"block_shape", Ints{2, 2}}, {"crops", Ints{0, 1, 1, 0}}},
           {Count({4, 1, 3, 1})}},
          {F32({1, 1, 5, 1}, {3, 1, 4, 2, 5})});
  CheckOp({"BatchToSpaceNd",
           {{"block_shape", Ints{3, 2}}, {"crops", Ints{4, 2, 0, 1}}},
           {RandomF32({12, 5, 7, 6}, 1)}},
          0);
  ExpectInferError({"BatchToSpaceNd",
                    {{"block_shape", Ints{2}}, {"crops", Ints(2)}},
                    {Count({3, 1})}},
                   "blocks of 2 do not divide the batch of x f32[3,1]");
  ExpectInferError({"BatchToSpaceNd",
                    {{"block_shape", Ints{2}}, {"crops", Ints{2, 1}}},
                    {Count({2, 1})}},
                   "crops [2,1] are larger than extent 2");
}

// Numbers of channels around the blocks of four in images of a GPU.
TEST(ChannelBlocks, RepeatedAndMoved) {
  for (int64_t c : {1, 3, 4, 5, 8, 13}) {
    SCOPED_TRACE(c);
    const TestTensor x = RandomF32({2, 4, 6, c}, 1);
    CheckOp({"Tile", {{"repeats", Ints{1, 2, 1, 3}}}, {x}}, 0);
    CheckOp(
        {"Expand", {{"shape", Ints{2, 3, 2, c}}}, {RandomF32({2, 1, 2, 1}, 2)}},
        0);
    CheckOp({"Reverse", {{"axis", Ints{1, 3}}}, {x}}, 0);
    CheckOp({"ChannelShuffle",
             {{"group", int64_t{2}}},
             {RandomF32({2, 3, 2, 2 * c}, 3)}},
            0);
    CheckOp({"SpaceToBatchNd",
             {{"block_shape", Ints{2, 3}}, {"paddings", Ints{1, 1, 2, 1}}},
             {x}},
            0);
    CheckOp({"BatchToSpaceNd",
             {{"block_shape", Ints{2, 3}}, {"crops", Ints{1, 0, 2, 2}}},
             {RandomF32({12, 2, 3, c}, 4)}},
            0);
  }
}

}  // namespace
}  // namespace mace::testing
