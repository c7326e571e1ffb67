// GridSample and RoiAlign: meaning and kernels. Literal values are those of
// onnx 1.17's ReferenceEvaluator unless stated otherwise.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Attrs = AttrMap;

TestTensor Count(const Shape& shape) {
  std::vector<float> values(NumElements(shape));
  std::iota(values.begin(), values.end(), 0.0f);
  return F32(shape, values);
}

// Half-way between elements, on one, outside, and far outside.
const std::vector<float> kPlaces = {0, 0, -1, -1, 1, 0.5f, 1.5f, -3};
TestTensor Grid() { return F32({1, 4, 1, 2}, kPlaces); }
const Shape kPlane = {1, 3, 4, 1};

TEST(GridSample, Linear) {
  CheckOp({"GridSample", {}, {Count(kPlane), Grid()}},
          {F32({1, 4, 1, 1}, {5.5f, 0, 5, 0})});
  CheckOp(
      {"GridSample", {{"align_corners", int64_t{1}}}, {Count(kPlane), Grid()}},
      {F32({1, 4, 1, 1}, {5.5f, 0, 9, 0})});
  CheckOp({"GridSample", {{"padding", "BORDER"}}, {Count(kPlane), Grid()}},
          {F32({1, 4, 1, 1}, {5.5f, 0, 10, 3})});
}

TEST(GridSample, Pixels) {
  CheckOp({"GridSample",
           {{"pixels", int64_t{1}}},
           {Count(kPlane), F32({1, 2, 2}, {1, 1, 0.5f, 2})}},
          {F32({1, 2, 1}, {5, 8.5f})});
}

// Every mode and padding, over one to three axes, against the reference.
TEST(GridSample, Paths) {
  const Shape images[] = {{2, 5, 3}, {2, 4, 5, 3}, {2, 3, 4, 2, 3}};
  for (const Shape& x : images) {
    const auto axes = static_cast<int64_t>(x.size()) - 2;
    for (const char* mode : {"LINEAR", "NEAREST", "CUBIC"}) {
      for (const char* padding : {"ZEROS", "BORDER", "REFLECTION"}) {
        CheckOp({"GridSample",
                 {{"mode", mode}, {"padding", padding}},
                 {RandomF32(x, 1), RandomF32({2, 7, axes}, 2, -2, 2)}});
      }
    }
  }
}

// An image for each row of the grid, and numbers that are no positions.
TEST(GridSample, Images) {
  CheckOp({"GridSample",
           {{"pixels", int64_t{1}}},
           {Count({2, 2, 1}), F32({3, 1, 1}, {0, 1, 0}), I32({3}, {1, 0, 0})}},
          {F32({3, 1, 1}, {2, 1, 0})});
  const float odd[] = {NAN, INFINITY, -INFINITY, 1e30f};
  for (const float v : odd) {
    for (const char* padding : {"ZEROS", "BORDER", "REFLECTION"}) {
      for (const char* mode : {"LINEAR", "NEAREST", "CUBIC"}) {
        CheckOp({"GridSample",
                 {{"padding", padding}, {"mode", mode}},
                 {Count({1, 3, 1}), F32({1, 1, 1}, {v})}});
      }
    }
  }
}

// Known positions and images, several blocks of channels, aligned corners.
TEST(GridSample, Known) {
  for (const char* mode : {"LINEAR", "CUBIC"}) {
    CheckOp(
        {"GridSample",
         {{"mode", mode}, {"align_corners", int64_t{1}}},
         {RandomF32({3, 5, 4, 9}, 1), Const(RandomF32({2, 2, 3, 2}, 2, -2, 2)),
          Const(I64({2}, {2, 0}))}});
  }
}

TEST(GridSample, Empty) {
  CheckOp({"GridSample", {}, {F32({0, 3, 2}, {}), F32({0, 4, 1}, {})}},
          {F32({0, 4, 2}, {})});
  CheckOp({"GridSample", {}, {F32({1, 0, 2}, {}), F32({1, 0, 1}, {})}},
          {F32({1, 0, 2}, {})});
}

TEST(GridSample, Errors) {
  ExpectInferError({"GridSample", {}, {Count({2, 3}), Grid()}},
                   "must be [N, d1, ..., dk, C] with k from 1 to 3");
  ExpectInferError({"GridSample", {}, {Count(kPlane), Count({1, 4, 3})}},
                   "must be [M, ..., 2]");
  ExpectInferError({"GridSample", {}, {Count({2, 3, 4, 1}), Grid()}},
                   "must have one row for each image of x f32[2,3,4,1]");
  ExpectInferError({"GridSample", {}, {F32({1, 0, 4, 1}, {}), Grid()}},
                   "has no elements to sample");
  ExpectInferError({"GridSample", {{"mode", "SINC"}}, {Count(kPlane), Grid()}},
                   "SINC");
  ExpectRunError({"GridSample", {}, {Count(kPlane), Grid(), I32({1}, {1})}},
                 "GridSample 'test': index 1 is out of range for extent 1");
  ExpectRunError({"GridSample", {}, {Count(kPlane), Grid(), I64({1}, {-1})}},
                 "index -1 is out of range for extent 1");
}

Attrs Bins(int64_t h, int64_t w) {
  return {{"output_height", h}, {"output_width", w}};
}

TEST(RoiAlign, Literal) {
  // A region of whole pixels: the mean of its four samples is that of x.
  CheckOp({"RoiAlign",
           Bins(1, 1),
           {Count({1, 4, 4, 1}), F32({1, 4}, {0, 0, 4, 4}), I32({1}, {0})}},
          {F32({1, 1, 1, 1}, {7.5f})});
  Attrs fixed = Bins(2, 2);
  fixed["sampling_ratio"] = int64_t{1};
  CheckOp({"RoiAlign",
           fixed,
           {Count({1, 4, 4, 1}), F32({1, 4}, {0, 0, 4, 4}), I64({1}, {0})}},
          {F32({1, 2, 2, 1}, {2.5f, 4.5f, 10.5f, 12.5f})});
}

TEST(RoiAlign, Paths) {
  for (const char* mode : {"AVG", "MAX"}) {
    for (const int64_t half : {0, 1}) {
      Attrs attrs = Bins(3, 2);
      attrs["mode"] = mode;
      attrs["half_pixel"] = half;
      attrs["spatial_scale"] = 0.5f;
      CheckOp({"RoiAlign",
               attrs,
               {RandomF32({2, 5, 6, 3}, 1),
                F32({3, 4}, {0, 0, 9, 9, 8, 8, 2, 2, -3, 1, 30, 5}),
                I32({3}, {0, 1, 1})}});
    }
  }
}

TEST(RoiAlign, Errors) {
  const TestTensor x = Count({1, 4, 4, 1}), roi = F32({1, 4}, {0, 0, 2, 2});
  const TestTensor first = I32({1}, {0});
  ExpectInferError({"RoiAlign", Bins(0, 1), {x, roi, first}}, "bins 0 x 1");
  ExpectInferError({"RoiAlign", Bins(INT64_MAX, 4), {x, roi, first}},
                   "bins of a region");
  ExpectInferError({"RoiAlign", {{"spatial_scale", NAN}}, {x, roi, first}},
                   "must be positive");
  ExpectInferError(
      {"RoiAlign", {{"sampling_ratio", int64_t{-1}}}, {x, roi, first}},
      "the ratio from 0 to");
  ExpectInferError({"RoiAlign", {}, {x, F32({1, 5}, {0, 0, 0, 2, 2}), first}},
                   "[n,4]");
  ExpectInferError({"RoiAlign", {}, {x, roi, I32({2}, {0, 0})}}, "image");
  ExpectInferError({"RoiAlign", {}, {F32({1, 0, 4, 1}, {}), roi, first}},
                   "has no pixels");
  ExpectRunError({"RoiAlign", {}, {x, roi, I32({1}, {1})}},
                 "index 1 is out of range for extent 1");
  ExpectRunError({"RoiAlign", {}, {x, F32({1, 4}, {0, 0, NAN, 2}), first}},
                 "region 0 has a corner at");
}

}  // namespace
}  // namespace mace::testing
