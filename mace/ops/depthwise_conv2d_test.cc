// DepthwiseConv2d: meaning and kernels.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

// Values from onnxruntime 1.20.
TEST(DepthwiseConv2d, ValidMultiplier2) {
  CheckOp({"DepthwiseConv2d",
           {},
           {RandomF32({1, 3, 3, 3}, 9), Const(RandomF32({2, 3, 2, 2}, 10)),
            Const(RandomF32({6}, 11))}},
          {F32({1, 2, 2, 6},
               {-0.23542154f, -0.7035296f,  -1.7938749f,   1.4831784f,
                -0.17451885f, -0.60735786f, -0.18161383f,  -0.91479844f,
                -1.8343794f,  1.6873623f,   0.28513756f,   -1.82873f,
                -0.8018805f,  -0.3319896f,  -0.5316116f,   0.5240863f,
                0.4464531f,   -1.2812517f,  -0.093476295f, -1.6823237f,
                -0.37172514f, 0.25098562f,  0.90805924f,   -1.6878203f})});
}

TEST(DepthwiseConv2d, SameUnknownWeights) {
  CheckOp({"DepthwiseConv2d",
           {{"padding", int64_t{1}}},
           {RandomF32({1, 2, 3, 4}, 12), RandomF32({1, 4, 3, 3}, 13)}},
          {F32({1, 2, 3, 4},
               {-0.47109568f, -0.69594836f, -1.0675964f,  -0.29461038f,
                -1.8158485f,  -0.5572274f,  1.463722f,    1.6555817f,
                0.15878454f,  0.120850205f, 0.41829294f,  -0.049395397f,
                1.3380553f,   -0.24510919f, -0.42840794f, 0.021124229f,
                0.8528632f,   0.07262933f,  -0.42478228f, -0.8950602f,
                -0.09476343f, -0.22580147f, -0.55793893f, 0.01617562f})});
}

TEST(DepthwiseConv2d, Sizes) {
  for (int64_t kernel : {1, 3, 5, 7}) {
    for (int64_t stride : {1, 2, 3}) {
      for (int64_t dilation : {1, 2}) {
        for (int64_t padding : {0, 1}) {
          SCOPED_TRACE(ToString(Shape{kernel, stride, dilation, padding}));
          CheckOp({"DepthwiseConv2d",
                   {{"strides", Ints{stride, stride}},
                    {"dilations", Ints{dilation, dilation}},
                    {"padding", padding},
                    {"activation", "RELU"}},
                   {RandomF32({2, 13, 17, 37}, 1),
                    Const(RandomF32({1, 37, kernel, kernel}, 2)),
                    Const(RandomF32({37}, 3))}});
        }
      }
    }
  }
}

TEST(DepthwiseConv2d, ImagesOneElementWide) {
  for (const int64_t multiplier : {1, 2}) {
    for (const int64_t kernel : {3, 9}) {
      CheckOp({"DepthwiseConv2d",
               {{"strides", Ints{2, 1}}, {"padding", int64_t{1}}},
               {RandomF32({2, 41, 1, 10}, 1),
                Const(RandomF32({multiplier, 10, kernel, 1}, 2))}});
    }
  }
}

TEST(DepthwiseConv2d, KernelLargerThanInput) {
  CheckOp({"DepthwiseConv2d",
           {{"padding", int64_t{1}}, {"activation", "SWISH"}},
           {RandomF32({1, 2, 1, 20}, 1), Const(RandomF32({1, 20, 7, 5}, 2))}});
}

TEST(DepthwiseConv2d, Errors) {
  ExpectInferError({"DepthwiseConv2d",
                    {},
                    {RandomF32({1, 4, 4, 2}, 1), RandomF32({1, 3, 3, 3}, 2)}},
                   "w [1,3,3,3] must be [M, C, kh, kw] with the 2 channels");
  ExpectInferError({"DepthwiseConv2d",
                    {{"padding", int64_t{5}}},
                    {RandomF32({1, 4, 4, 2}, 1), RandomF32({1, 2, 3, 3}, 2)}},
                   "padding 5 must be one of VALID (0), SAME (1)");
}

}  // namespace
}  // namespace mace::testing
