// Ops that move elements: meaning and kernels. Literal values are those of
// NumPy 1.26 or, where stated, of TensorFlow 2.19 and onnxruntime 1.20.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

// Returns first, first + 1, ...
TestTensor Count(const Shape& shape, float first = 0) {
  std::vector<float> values(NumElements(shape));
  std::iota(values.begin(), values.end(), first);
  return F32(shape, values);
}

TEST(Transpose, Literal) {
  CheckOp({"Transpose", {{"dims", Ints{2, 0, 1}}}, {Count({2, 3, 4})}},
          {F32({4, 2, 3}, {0, 4, 8,  12, 16, 20, 1, 5, 9,  13, 17, 21,
                           2, 6, 10, 14, 18, 22, 3, 7, 11, 15, 19, 23})});
  CheckOp({"Transpose", {}, {I64({2, 2}, {1, 2, 3, 4})}},
          {I64({2, 2}, {1, 3, 2, 4})});
  CheckOp({"Transpose", {}, {Bool({1, 2}, {1, 0})}}, {Bool({2, 1}, {1, 0})});
}

TEST(Transpose, EveryPermutation) {
  Ints dims = {0, 1, 2, 3};
  do {
    SCOPED_TRACE(ToString(Shape(dims)));
    CheckOp({"Transpose", {{"dims", dims}}, {RandomF32({3, 37, 5, 41}, 2)}}, 0);
  } while (std::next_permutation(dims.begin(), dims.end()));
}

TEST(Transpose, LargeAndEmpty) {
  CheckOp(
      {"Transpose", {{"dims", Ints{0, 2, 1}}}, {RandomF32({2, 300, 133}, 3)}},
      0);
  CheckOp({"Transpose", {{"dims", Ints{1, 0}}}, {RandomF32({3, 20000}, 4)}}, 0);
  CheckOp({"Transpose", {}, {F32({0, 3}, {})}}, {F32({3, 0}, {})});
  CheckOp({"Transpose", {}, {F32({}, {5})}}, {F32({}, {5})});
}

TEST(Transpose, Errors) {
  ExpectInferError({"Transpose", {{"dims", Ints{0}}}, {Count({2, 3})}},
                   "dims [0] must name every axis of x f32[2,3] once");
  ExpectInferError({"Transpose", {{"dims", Ints{1, 1}}}, {Count({2, 3})}},
                   "axes [1,1] name axis 1 twice");
}

TEST(Concat, Literal) {
  const TestTensor x = Count({2, 2, 3});
  CheckOp({"Concat", {{"axis", int64_t{1}}}, {x, Count({2, 1, 3}, 100)}},
          {F32({2, 3, 3}, {0, 1, 2, 3, 4, 5, 100, 101, 102, 6, 7, 8, 9, 10, 11,
                           103, 104, 105})});
  CheckOp({"Concat", {}, {x, Count({2, 2, 1}, 200)}},
          {F32({2, 2, 4},
               {0, 1, 2, 200, 3, 4, 5, 201, 6, 7, 8, 202, 9, 10, 11, 203})});
  CheckOp({"Concat", {}, {I32({1}, {1}), I32({0}, {}), I32({2}, {2, 3})}},
          {I32({3}, {1, 2, 3})});
}

TEST(Concat, EveryAxis) {
  for (int64_t axis = 0; axis < 4; ++axis) {
    Shape a = {2, 5, 7, 130}, b = a;
    b[axis] = 33;
    CheckOp({"Concat", {{"axis", axis}}, {RandomF32(a, 1), RandomF32(b, 2)}},
            0);
  }
}

TEST(Concat, Errors) {
  ExpectInferError({"Concat", {}, {Count({2, 3}), Count({3, 3})}},
                   "input 1 is f32[3,3], it may differ from input 0 f32[2,3] "
                   "only along axis 1");
  ExpectInferError({"Concat", {}, {Count({2}), I32({1}, {1})}},
                   "input 1 is i32[1], it must be f32 as input 0 f32[2]");
  ExpectInferError({"Concat", {}, {F32({}, {1})}}, "out of range for rank 0");
}

TEST(Pad, Constant) {
  const AttrMap attrs = {{"paddings", Ints{0, 1, 2, 1}},
                         {"constant_value", 9.0f}};
  CheckOp(
      {"Pad", attrs, {Count({2, 3})}},
      {F32({3, 6}, {9, 9, 0, 1, 2, 9, 9, 9, 3, 4, 5, 9, 9, 9, 9, 9, 9, 9})});
  CheckOp({"Pad", attrs, {I64({1, 1}, {-1})}},
          {I64({2, 4}, {9, 9, -1, 9, 9, 9, 9, 9})});
  // Negative paddings crop, as in ONNX.
  CheckOp({"Pad", {{"paddings", Ints{-1, 0, 1, -2}}}, {Count({2, 3})}},
          {F32({1, 2}, {0, 3})});
  CheckOp({"Pad", {{"paddings", Ints{1, 1}}}, {F32({0}, {})}},
          {F32({2}, {0, 0})});
}

TEST(Pad, Mirrors) {
  const auto pad = [](const char* type) {
    return OpCase{"Pad",
                  {{"pad_type", std::string(type)}},
                  {Count({2, 3}), Const(I32({4}, {1, 1, 2, 1}))}};
  };
  CheckOp(pad("REFLECT"), {F32({4, 6}, {5, 4, 3, 4, 5, 4, 2, 1, 0, 1, 2, 1,
                                        5, 4, 3, 4, 5, 4, 2, 1, 0, 1, 2, 1})});
  CheckOp(pad("SYMMETRIC"), {F32({4, 6}, {1, 0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 4,
                                          3, 3, 4, 5, 5, 4, 3, 3, 4, 5, 5})});
  CheckOp(pad("EDGE"), {F32({4, 6}, {0, 0, 0, 1, 2, 2, 0, 0, 0, 1, 2, 2,
                                     3, 3, 3, 4, 5, 5, 3, 3, 3, 4, 5, 5})});
}

TEST(Pad, LargeInEveryMode) {
  for (const char* type : {"CONSTANT", "REFLECT", "SYMMETRIC", "EDGE"}) {
    CheckOp({"Pad",
             {{"pad_type", std::string(type)},
              {"paddings", Ints{0, 0, 3, 2, 1, 4, 0, 0}}},
             {RandomF32({2, 31, 33, 17}, 5)}},
            0);
  }
}

// Constants behind the channels of each pixel, of fewer and of more bytes than
// are stored at once.
TEST(Pad, ChannelsOfEveryNumber) {
  for (const int64_t n : {1, 2, 3, 4, 7, 8, 15, 16, 17, 40, 64, 65}) {
    for (const int64_t before : {int64_t{0}, n}) {
      CheckOp({"Pad",
               {{"paddings", Ints{0, 0, 0, 0, before, n}},
                {"constant_value", -3.5f}},
               {RandomF32({5, 3, 6}, 9)}},
              0);
    }
  }
}

TEST(Pad, Errors) {
  const auto pad = [](const char* type, Ints paddings) {
    return OpCase{
        "Pad",
        {{"pad_type", std::string(type)}, {"paddings", std::move(paddings)}},
        {Count({3})}};
  };
  ExpectInferError(pad("REFLECT", {3, 0}),
                   "paddings 3 and 0 of axis 0 are out of range for x f32[3] "
                   "with REFLECT");
  ExpectInferError(pad("SYMMETRIC", {0, 4}), "out of range");
  ExpectInferError(pad("CONSTANT", {-2, -2}), "out of range");
  ExpectInferError(pad("CONSTANT", {5, -4}), "out of range");
  ExpectInferError(pad("CONSTANT", {INT64_MIN, 0}), "out of range");
  ExpectInferError(pad("CONSTANT", {INT64_MAX, INT64_MAX}), "out of range");
  ExpectInferError(pad("CONSTANT", {1}), "must hold two numbers for each axis");
  ExpectInferError(pad("WRAP", {1, 1}),
                   "pad_type 'WRAP' must be one of CONSTANT");
}

TEST(Slice, Literal) {
  const TestTensor x = Count({4, 6});
  CheckOp(
      {"Slice",
       {{"starts", Ints{1, 4}}, {"ends", Ints{4, 0}}, {"steps", Ints{2, -3}}},
       {x}},
      {F32({2, 2}, {10, 7, 22, 19})});
  // x[::-1, -2:], in ONNX's notation.
  CheckOp(
      {"Slice",
       {},
       {x, Const(I64({2}, {-1, -2})), Const(I64({2}, {INT64_MIN, INT64_MAX})),
        Const(I64({2}, {0, 1})), Const(I64({2}, {-1, 1}))}},
      {F32({4, 2}, {22, 23, 16, 17, 10, 11, 4, 5})});
  CheckOp({"Slice",
           {{"starts", Ints{1}}, {"ends", Ints{-1}}, {"axes", Ints{-1}}},
           {Bool({1, 4}, {0, 1, 1, 0})}},
          {Bool({1, 2}, {1, 1})});
  CheckOp({"Slice", {{"starts", Ints{5}}, {"ends", Ints{9}}}, {x}},
          {F32({0, 6}, {})});
  CheckOp({"Slice",
           {{"starts", Ints{0}}, {"ends", Ints{4}}, {"steps", Ints{INT64_MIN}}},
           {x}},
          {F32({0, 6}, {})});
  CheckOp(
      {"Slice",
       {{"starts", Ints{3}}, {"ends", Ints{-9}}, {"steps", Ints{INT64_MIN}}},
       {x}},
      {F32({1, 6}, {18, 19, 20, 21, 22, 23})});
}

TEST(Slice, Large) {
  CheckOp({"Slice",
           {{"starts", Ints{2, 100, 0}},
            {"ends", Ints{90, 1, 64}},
            {"steps", Ints{3, -2, 1}}},
           {RandomF32({99, 101, 64}, 6)}},
          0);
}

TEST(Slice, Errors) {
  ExpectInferError(
      {"Slice", {{"starts", Ints{1}}, {"ends", Ints{}}}, {Count({2})}},
      "must be of the same length");
  ExpectInferError(
      {"Slice",
       {{"starts", Ints{1}}, {"ends", Ints{2}}, {"steps", Ints{0}}},
       {Count({2})}},
      "a step must not be 0");
  ExpectInferError(
      {"Slice", {{"starts", Ints{1, 1}}, {"ends", Ints{2, 2}}}, {Count({2})}},
      "axis 1 is out of range for rank 1");
  ExpectInferError(
      {"Slice", {}, {Count({2}), I64({1}, {0}), Const(I64({1}, {1}))}},
      "starts (input 1, i64[1]) must be known");
}

// Values from TensorFlow.
TEST(StridedSlice, Masks) {
  const TestTensor x = Count({2, 3, 4});
  // x[:2, 0, 1::2], with the last end ignored.
  CheckOp({"StridedSlice",
           {{"begin", Ints{5, 0, 1}},
            {"end", Ints{2, 1, 0}},
            {"strides", Ints{1, 1, 2}},
            {"begin_mask", int64_t{1}},
            {"end_mask", int64_t{4}},
            {"shrink_axis_mask", int64_t{2}}},
           {x}},
          {F32({2, 2}, {1, 3, 13, 15})});
  // x[..., tf.newaxis, 2]
  CheckOp({"StridedSlice",
           {{"begin", Ints{0, 0, 2}},
            {"end", Ints{0, 0, 3}},
            {"ellipsis_mask", int64_t{1}},
            {"new_axis_mask", int64_t{2}},
            {"shrink_axis_mask", int64_t{4}}},
           {x}},
          {F32({2, 3, 1}, {2, 6, 10, 14, 18, 22})});
  // x[:, 2:0:-1, 1:3]
  CheckOp({"StridedSlice",
           {},
           {x, Const(I32({3}, {0, 2, 1})), Const(I32({3}, {2, 0, 3})),
            Const(I32({3}, {1, -1, 1}))}},
          {F32({2, 2, 2}, {9, 10, 5, 6, 21, 22, 17, 18})});
  // x[:, ::-1], with both ends ignored.
  CheckOp({"StridedSlice",
           {{"begin", Ints{0, 0}},
            {"end", Ints{0, 0}},
            {"strides", Ints{1, -1}},
            {"begin_mask", int64_t{3}},
            {"end_mask", int64_t{3}}},
           {Count({1, 3})}},
          {F32({1, 3}, {2, 1, 0})});
}

TEST(StridedSlice, Errors) {
  const TestTensor x = Count({2, 3});
  ExpectInferError(
      {"StridedSlice",
       {{"begin", Ints{2}}, {"end", Ints{3}}, {"shrink_axis_mask", int64_t{1}}},
       {x}},
      "element 2 of axis 0 is out of range for x f32[2,3]");
  ExpectInferError(
      {"StridedSlice", {{"begin", Ints{0, 0, 0}}, {"end", Ints{1, 1, 1}}}, {x}},
      "names 3 axes and 0 ellipses for x f32[2,3]");
  ExpectInferError({"StridedSlice",
                    {{"begin", Ints{0, 0}},
                     {"end", Ints{1, 1}},
                     {"ellipsis_mask", int64_t{3}}},
                    {x}},
                   "2 ellipses");
  ExpectInferError(
      {"StridedSlice", {{"begin", Ints{0}}, {"end", Ints{1, 1}}}, {x}},
      "must be of the same length");
  ExpectInferError(
      {"StridedSlice",
       {{"begin", Ints{0}}, {"end", Ints{1}}, {"strides", Ints{0}}},
       {x}},
      "a stride must not be 0");
}

TEST(Split, EqualAndSizes) {
  const TestTensor x = Count({2, 4});
  CheckOp({"Split", {{"axis", int64_t{1}}}, {x}, 2},
          {F32({2, 2}, {0, 1, 4, 5}), F32({2, 2}, {2, 3, 6, 7})});
  CheckOp({"Split", {{"axis", int64_t{-1}}, {"sizes", Ints{1, -1}}}, {x}, 2},
          {F32({2, 1}, {0, 4}), F32({2, 3}, {1, 2, 3, 5, 6, 7})});
  CheckOp({"Split", {}, {x, Const(I64({2}, {2, 0}))}, 2}, {x, F32({0, 4}, {})});
}

TEST(Split, Errors) {
  const TestTensor x = Count({5});
  ExpectInferError({"Split", {}, {x}, 2},
                   "2 equal parts do not make axis 0 of x f32[5]");
  ExpectInferError({"Split", {{"sizes", Ints{2, 2}}}, {x}, 2},
                   "sizes [2,2] do not make axis 0 of x f32[5]");
  ExpectInferError({"Split", {{"sizes", Ints{6, -1}}}, {x}, 2}, "do not make");
  ExpectInferError({"Split", {{"sizes", Ints{-1, -1}}}, {x}, 2}, "do not make");
  ExpectInferError({"Split", {{"sizes", Ints{5}}}, {x}, 2},
                   "must be one for each of 2 outputs");
}

TEST(Stack, EveryAxis) {
  const TestTensor a = Count({2, 2}), b = Count({2, 2}, 10);
  CheckOp({"Stack", {}, {a, b}},
          {F32({2, 2, 2}, {0, 1, 2, 3, 10, 11, 12, 13})});
  CheckOp({"Stack", {{"axis", int64_t{1}}}, {a, b}},
          {F32({2, 2, 2}, {0, 1, 10, 11, 2, 3, 12, 13})});
  CheckOp({"Stack", {{"axis", int64_t{-1}}}, {a, b}},
          {F32({2, 2, 2}, {0, 10, 1, 11, 2, 12, 3, 13})});
  CheckOp({"Stack", {}, {I32({}, {4}), I32({}, {5})}}, {I32({2}, {4, 5})});
  ExpectInferError({"Stack", {}, {a, Count({4})}},
                   "input 1 is f32[4], it must be as input 0 f32[2,2]");
  ExpectInferError({"Stack", {{"axis", int64_t{3}}}, {a}}, "out of range");
}

// Values from TensorFlow; for CRD, from onnxruntime.
TEST(DepthToSpace, BothModes) {
  const TestTensor x = Count({1, 2, 1, 8});
  const AttrMap dcr = {{"block_size", int64_t{2}}};
  AttrMap crd = dcr;
  crd["mode"] = std::string("CRD");
  CheckOp({"DepthToSpace", dcr, {x}},
          {F32({1, 4, 2, 2},
               {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})});
  CheckOp({"DepthToSpace", crd, {x}},
          {F32({1, 4, 2, 2},
               {0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15})});
  CheckOp({"DepthToSpace", dcr, {Count({1, 2, 2, 4})}},
          {F32({1, 4, 4, 1},
               {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15})});
  for (const AttrMap& attrs : {dcr, crd}) {
    CheckOp({"DepthToSpace", attrs, {RandomF32({2, 9, 11, 12}, 1)}}, 0);
  }
  ExpectInferError({"DepthToSpace", {{"block_size", int64_t{3}}}, {x}},
                   "block_size 3 squared must divide the channels of x");
  ExpectInferError({"DepthToSpace", {{"block_size", int64_t{0}}}, {x}},
                   "block_size 0");
}

TEST(SpaceToDepth, Literal) {
  const AttrMap attrs = {{"block_size", int64_t{2}}};
  CheckOp({"SpaceToDepth", attrs, {Count({1, 2, 4, 2})}},
          {F32({1, 1, 2, 8},
               {0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15})});
  CheckOp({"SpaceToDepth", attrs, {RandomF32({2, 8, 6, 5}, 1)}}, 0);
  ExpectInferError({"SpaceToDepth", attrs, {Count({1, 3, 4, 2})}},
                   "block_size 2 must divide height and width of x");
  ExpectInferError({"SpaceToDepth", attrs, {Count({3, 4})}},
                   "it must be [N,H,W,C]");
}

// Numbers of channels around the blocks of four in images of a GPU.
const Ints kChannels = {1, 3, 4, 5, 8, 13};

TEST(ChannelBlocks, Concat) {
  std::vector<TestTensor> all;
  for (int64_t c : kChannels) {
    all.push_back(RandomF32({2, 3, 2, c}, static_cast<uint32_t>(c)));
    for (int64_t axis : {0, 1, 2}) {
      CheckOp({"Concat", {{"axis", axis}}, {all.back(), all.back()}}, 0);
    }
    for (int64_t d : kChannels) {
      CheckOp({"Concat", {}, {all.back(), Const(RandomF32({2, 3, 2, d}, 9))}},
              0);
    }
  }
  CheckOp({"Concat", {}, all}, 0);
  all.assign(6, RandomF32({2, 1}, 5));
  CheckOp({"Concat", {}, all}, 0);
}

TEST(ChannelBlocks, Parts) {
  for (int64_t c : kChannels) {
    SCOPED_TRACE(c);
    const TestTensor x = RandomF32({2, 3, 4, c + 4}, 3);
    for (int64_t first : {0, 1, 4}) {
      CheckOp({"Slice",
               {{"starts", Ints{1, first}},
                {"ends", Ints{3, first + c}},
                {"axes", Ints{2, 3}}},
               {x}},
              0);
    }
    CheckOp({"Split", {{"axis", int64_t{3}}, {"sizes", Ints{c, 4}}}, {x}, 2},
            0);
    CheckOp({"Split", {{"axis", int64_t{2}}}, {x}, 2}, 0);
    AttrMap pad = {{"paddings", Ints{0, 0, 1, 0, 0, 2, 4, 3}},
                   {"constant_value", 2.0f}};
    for (const std::string type : {"CONSTANT", "REFLECT", "EDGE"}) {
      pad["pad_type"] = type;
      CheckOp({"Pad", pad, {x}}, 0);
    }
  }
}

TEST(ChannelBlocks, Rearranged) {
  for (int64_t c : kChannels) {
    SCOPED_TRACE(c);
    for (const Ints& dims : {Ints{0, 3, 1, 2}, Ints{0, 2, 1, 3}}) {
      CheckOp({"Transpose", {{"dims", dims}}, {RandomF32({2, 3, 5, c}, 1)}}, 0);
    }
    const AttrMap two = {{"block_size", int64_t{2}}};
    CheckOp({"DepthToSpace", two, {RandomF32({2, 2, 3, 4 * c}, 2)}}, 0);
    CheckOp({"SpaceToDepth", two, {RandomF32({2, 2, 4, c}, 3)}}, 0);
    const TestTensor x = RandomF32({2, 3, 4, c}, 4);
    CheckOp({"Reshape", {{"dim", Ints{2, 4, 3, c}}}, {x}}, 0);
    CheckOp({"Reshape", {{"dim", Ints{2, -1, 4}}}, {x}}, 0);
    CheckOp({"Reshape", {{"dim", Ints{2, -1}}}, {x}}, 0);
  }
}

}  // namespace
}  // namespace mace::testing
