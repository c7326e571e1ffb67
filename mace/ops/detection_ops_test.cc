// Proposal and PsroiAlign: meaning and kernels. Literal values are those of
// NumPy, from the definitions, unless stated otherwise.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

// The nine anchors that the Faster R-CNN release lists (counting pixels from
// 1), at the last position of a feature map, which is so far from the first
// that none is clipped. Decoding keeps an anchor's extent x2 - x1 + 1 as the
// distance between its corners.
TEST(Proposal, PublishedAnchors) {
  const float kAnchors[9][4] = {
      {-83, -39, 100, 56}, {-175, -87, 192, 104},  {-359, -183, 376, 200},
      {-55, -55, 72, 72},  {-119, -119, 136, 136}, {-247, -247, 264, 264},
      {-35, -79, 52, 96},  {-79, -167, 96, 184},   {-167, -343, 184, 360}};
  const int64_t size = 61;
  std::vector<float> scores(size * size * 18, -1.0f), rois;
  float* last = scores.data() + scores.size() - 9;
  for (int a = 0; a < 9; ++a) {
    last[a] = 1.0f - 0.1f * static_cast<float>(a);
    rois.push_back(0);
    for (int k = 0; k < 4; ++k) {
      rois.push_back(kAnchors[a][k] + 480 - (k < 2 ? 1 : 0));
    }
  }
  CheckOp({"Proposal",
           {{"feat_stride", int64_t{8}},
            {"base_size", int64_t{16}},
            {"scales", Ints{8, 16, 32}},
            {"ratios", Floats{0.5f, 1, 2}},
            {"nms_thresh", 1.0f},
            {"pre_nms_top_n", int64_t{100}},
            {"post_nms_top_n", int64_t{9}}},
           {F32({1, size, size, 18}, scores),
            F32({1, size, size, 36}, std::vector<float>(size * size * 36)),
            F32({1, 3}, {2000, 2000, 1})}},
          {F32({9, 5}, rois)});
}

OpCase SmallProposal() {
  return {
      "Proposal",
      {{"feat_stride", int64_t{16}},
       {"base_size", int64_t{16}},
       {"scales", Ints{1}},
       {"ratios", Floats{0.5f, 2}},
       {"min_size", int64_t{4}},
       {"nms_thresh", 0.3f},
       {"pre_nms_top_n", int64_t{7}},
       {"post_nms_top_n", int64_t{4}}},
      {F32({1, 2, 2, 4},
           {0.549f, 0.715f, 0.603f, 0.545f, 0.424f, 0.646f, 0.438f, 0.892f,
            0.964f, 0.383f, 0.792f, 0.529f, 0.568f, 0.926f, 0.071f, 0.087f}),
       F32({1, 2, 2, 8},
           {0.13f,  0.1f,   0.45f,  -0.06f, 0.09f,  -0.26f, -0.77f, 0.2f,
            0.26f,  -0.22f, 0.68f,  -0.44f, 0.01f,  -0.06f, 0.46f,  0.44f,
            0.05f,  0.11f,  -0.27f, -0.59f, -0.1f,  0.05f,  0.37f,  0.36f,
            -0.12f, -0.09f, -0.31f, -0.43f, -0.51f, 0.59f,  -0.15f, -0.13f}),
       F32({3}, {40, 60, 2})}};
}

TEST(Proposal, DeltasAndSuppression) {
  CheckOp(SmallProposal(),
          {F32({4, 5}, {0, 15.397593f, 0,          32.822407f, 23.759779f,
                        0, 0,          3.5494127f, 29.02559f,  14.850587f,
                        0, 0,          9.333377f,  14.86254f,  39,
                        0, 7.280406f,  1.4957814f, 52.679592f, 9.224218f})},
          1e-6f);
}

TEST(Proposal, FewerThanAskedFor) {
  OpCase c = SmallProposal();
  c.attrs["min_size"] = int64_t{100};
  CheckOp(c, {F32({4, 5}, std::vector<float>(20))});
}

TEST(Proposal, Errors) {
  OpCase c = SmallProposal();
  c.attrs.erase("feat_stride");
  ExpectInferError(c, "feat_stride 0, base_size 16");
  c = SmallProposal();
  c.attrs["scales"] = Ints{1, 2};
  ExpectInferError(c,
                   "input 0 is f32[1,2,2,4], with 4 anchors it must be "
                   "[1,2,2,8]");
  c = SmallProposal();
  c.inputs[2] = F32({2}, {1, 1});
  ExpectInferError(c, "im_info is f32[2]");
}

OpCase SmallAlign() {
  std::vector<float> x(2 * 4 * 5 * 8);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 17);
  return {"PsroiAlign",
          {{"spatial_scale", 0.5f},
           {"output_dim", int64_t{2}},
           {"group_size", int64_t{2}}},
          {F32({2, 4, 5, 8}, x),
           F32({3, 5}, {0, 1, 2, 6, 5, 1, 0, 0, 9, 7, 1, -5, -5, 2, 2})}};
}

TEST(PsroiAlign, Literal) {
  CheckOp(SmallAlign(),
          {F32({3, 2, 2, 2},
               {13,         7,          13.333333f, 7.3333335f, 12.333333f,
                6.3333335f, 12.666667f, 6.6666665f, 11.4f,      9.4f,
                11.2f,      10.9f,      7.8f,       12.6f,      7.6f,
                12.4f,      0,          0,          0,          0,
                0,          0,          15.111111f, 14.666667f})},
          1e-6f);
}

// Each bin reads a channel of its own: constant channels stay constant if a bin
// is a whole number of pixels.
TEST(PsroiAlign, ChannelPerBin) {
  std::vector<float> x;
  for (int i = 0; i < 16; ++i) x.insert(x.end(), {1, 2, 3, 4});
  CheckOp({"PsroiAlign",
           {{"group_size", int64_t{2}}},
           {F32({1, 4, 4, 4}, x), F32({1, 5}, {0, 0, 0, 3, 3})}},
          {F32({1, 2, 2, 1}, {1, 2, 3, 4})});
}

// Expected values: OpenCV 4.10's PSROIPooling, of the same numbers as NCHW.
TEST(PsroiAlign, WholePixels) {
  OpCase c = SmallAlign();
  c.attrs["whole_pixels"] = true;
  c.inputs[1] =
      F32({3, 5}, {0, 1, 2, 6, 5, 1, 0, 0, 9, 7, 0, 2.5f, 1.5f, 3, 4});
  CheckOp(c,
          {F32({3, 2, 2, 2},
               {10,   5.5f,       10,   5.5f,       9.5f,  5,     9.5f, 5,
                9.5f, 7.8333335f, 9.5f, 7.8333335f, 6.5f,  10.5f, 6.5f, 10.5f,
                14,   1,          15,   2,          10.5f, 6,     3,    7})},
          1e-6f);
}

TEST(PsroiAlign, HugeRegionsAndErrors) {
  OpCase c = SmallAlign();
  c.inputs[1] = F32(
      {2, 5}, {0, -1e30f, NAN, 1e30f, NAN, 1, NAN, -1e30f, INFINITY, 1e30f});
  CheckOp(c);
  c.attrs["whole_pixels"] = true;
  CheckOp(c);
  c.inputs[1] = F32({1, 5}, {2, 0, 0, 1, 1});
  ExpectRunError(c, "batch 2.000000 of region 0 is out of range for 2");
  c.inputs[1] = F32({1, 5}, {NAN, 0, 0, 1, 1});
  ExpectRunError(c, "is out of range for 2");
  c.inputs[1] = F32({1, 4}, {0, 0, 1, 1});
  ExpectInferError(c, "input 1 is f32[1,4], it must be [n,5]");
  c = SmallAlign();
  c.attrs["group_size"] = int64_t{3};
  ExpectInferError(c, "must have output_dim 2 x group_size 3 squared channels");
}

}  // namespace
}  // namespace mace::testing
