// Deconv2d: meaning and kernels.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "mace/base/cpu_features.h"
#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

// CPUs with fp16 arithmetic use it for weights stored as fp16. The tolerance is
// a tenth of the bound for such products and sums (docs/model_format.md).
float ToleranceOfStoredFp16() {
  return (DetectCpuFeatures() & kCpuFp16) != 0 ? 128 * 0x1p-11f / 10 : 1e-5f;
}

// Values from onnxruntime 1.20.
TEST(Deconv2d, Stride2OutputPadding) {
  CheckOp({"Deconv2d",
           {{"strides", Ints{2, 2}},
            {"padding", int64_t{4}},
            {"padding_values", Ints{1, 0, 0, 1}},
            {"output_padding", Ints{1, 0}}},
           {RandomF32({1, 2, 3, 2}, 14), Const(RandomF32({3, 2, 3, 2}, 15)),
            Const(RandomF32({3}, 16))}},
          {F32({1, 5, 5, 3},
               {-0.9503545f,   0.34718835f,  -0.49482816f, 0.17166835f,
                -1.1233702f,   0.4208452f,   -1.0471969f,  -0.29457653f,
                0.2341825f,    -0.18210837f, -0.403876f,   0.70669305f,
                -0.90906984f,  -0.85977817f, 0.76619244f,  -1.0196553f,
                -0.033309877f, -0.72366947f, -2.441183f,   -1.5164456f,
                -0.0629338f,   -1.1212852f,  -0.47446367f, 0.27352417f,
                -1.9001167f,   -1.3502584f,  -0.3009683f,  -0.43731546f,
                -0.87295467f,  1.4642738f,   0.39378732f,  -0.548274f,
                -0.20614782f,  -1.3321851f,  -0.12309213f, -1.1960726f,
                -0.0406757f,   -0.69688976f, 0.16559395f,  -1.1327214f,
                0.04453793f,   -0.56840414f, -0.891412f,   -1.1689951f,
                1.0857705f,    0.28139198f,  0.74846566f,  0.07846703f,
                0.8790444f,    0.21699584f,  -0.18654978f, -0.25010914f,
                0.2306099f,    0.35424298f,  0.31025672f,  -0.12999664f,
                -0.22277069f,  -1.402479f,   -0.795088f,   1.1124827f,
                -0.5534179f,   -0.3466878f,  0.046326637f, -0.5534179f,
                -0.3466878f,   0.046326637f, -0.5534179f,  -0.3466878f,
                0.046326637f,  -0.5534179f,  -0.3466878f,  0.046326637f,
                -0.5534179f,   -0.3466878f,  0.046326637f})});
}

TEST(Deconv2d, GroupedDilated) {
  CheckOp(
      {"Deconv2d",
       {{"group", int64_t{2}}, {"dilations", Ints{2, 1}}},
       {RandomF32({1, 2, 2, 4}, 17), Const(RandomF32({2, 2, 2, 2}, 18))}},
      {F32({1, 4, 3, 2},
           {-0.605426f,  0.2718058f,   1.0767503f,   -0.5418289f,  0.12582351f,
            0.42192867f, 0.03666245f,  -0.04351017f, -0.7370516f,  0.123713195f,
            0.05338589f, -0.12746772f, 0.40050313f,  0.7024038f,   -0.96609265f,
            0.20188887f, 0.71834564f,  0.9291672f,   0.12051355f,  -0.61837125f,
            0.13598141f, -0.08639273f, -0.49525708f, -0.111839674f})});
}

// Values of TensorFlow's conv2d_transpose.
TEST(Deconv2d, Same) {
  const TestTensor y =
      F32({1, 4, 4, 1}, {-0.14187871f, -0.6236807f, -0.6647772f, -0.107749715f,
                         -0.73154265f, -0.63031185f, -0.85449106f, -0.10889533f,
                         -0.41635934f, 0.20926388f, 1.0441626f, -0.169007f,
                         0.47486016f, 0.40914905f, 0.31402704f, -0.13665532f});
  CheckOp({"Deconv2d",
           {{"strides", Ints{2, 2}}, {"padding", int64_t{1}}},
           {RandomF32({1, 2, 2, 1}, 19), Const(RandomF32({1, 1, 3, 3}, 20))}},
          {y});
  CheckOp({"Deconv2d",
           {{"strides", Ints{2, 2}}, {"padding", int64_t{1}}},
           {RandomF32({1, 2, 2, 1}, 19), RandomF32({1, 1, 3, 3}, 20), Absent(),
            Const(I32({4}, {1, 4, 4, 1}))}},
          {y});
}

// FULL removes extent - 1 outputs on each side: numpy.convolve in two
// dimensions, in its mode "valid".
TEST(Deconv2d, FullPadding) {
  const TestTensor w = Const(F32({1, 1, 2, 2}, {1, 2, 3, 4}));
  const TestTensor x = F32({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  CheckOp({"Deconv2d", {{"padding", int64_t{2}}}, {x, w}},
          {F32({1, 2, 2, 1}, {23, 33, 53, 63})});
  for (int64_t stride : {1, 2, 3}) {
    for (int64_t dilation : {1, 2}) {
      SCOPED_TRACE(ToString(Shape{stride, dilation}));
      CheckOp({"Deconv2d",
               {{"strides", Ints{stride, stride}},
                {"dilations", Ints{dilation, 1}},
                {"padding", int64_t{2}}},
               {RandomF32({2, 5, 4, 6}, 1), Const(RandomF32({7, 6, 3, 3}, 2)),
                Const(RandomF32({7}, 3))}});
    }
  }
}

TEST(Deconv2d, Sizes) {
  for (int64_t kernel : {2, 3}) {
    for (int64_t stride : {1, 2, 3}) {
      for (int64_t dilation : {1, 2}) {
        for (int64_t padding : {0, 1, 3}) {
          SCOPED_TRACE(ToString(Shape{kernel, stride, dilation, padding}));
          CheckOp({"Deconv2d",
                   {{"strides", Ints{stride, stride}},
                    {"dilations", Ints{dilation, dilation}},
                    {"padding", padding},
                    {"activation", "RELU"}},
                   {RandomF32({2, 4, 9, 10}, 1),
                    Const(RandomF32({20, 10, kernel, kernel}, 2)),
                    Const(RandomF32({20}, 3))}});
        }
      }
    }
  }
}

// Numbers of channels around the blocks of four in images of a GPU.
TEST(Deconv2d, ChannelBlocks) {
  for (int64_t c : {1, 3, 4, 5, 8, 13}) {
    for (int64_t group : {1, 2}) {
      SCOPED_TRACE(ToString(Shape{c, group}));
      CheckOp(
          {"Deconv2d",
           {{"strides", Ints{2, 1}}, {"padding", int64_t{1}}, {"group", group}},
           {RandomF32({2, 3, 4, c * group}, 1),
            Const(RandomF32({4 * group, c, 3, 3}, 2)),
            Const(RandomF32({4 * group}, 3))}});
      CheckOp({"Deconv2d",
               {{"group", group}},
               {RandomF32({2, 3, 4, 6}, 1),
                Const(RandomF32({c * group, 6 / group, 2, 3}, 2))}});
    }
  }
}

// One input and one output for each group: a depthwise convolution for each
// phase.
TEST(Deconv2d, Depthwise) {
  for (int64_t c : {1, 3, 16, 21, 37}) {
    for (int64_t kernel : {1, 2, 3, 4, 7}) {
      for (int64_t stride : {1, 2, 3}) {
        for (int64_t dilation : {1, 2}) {
          SCOPED_TRACE(ToString(Shape{c, kernel, stride, dilation}));
          const AttrMap attrs = {{"strides", Ints{stride, 2}},
                                 {"dilations", Ints{dilation, 1}},
                                 {"padding", int64_t{kernel > 2 ? 1 : 0}},
                                 {"group", c},
                                 {"activation", stride == 3 ? "TANH" : "RELU"}};
          const TestTensor x = RandomF32({2, 5, 6, c}, 1);
          const TestTensor w = RandomF32({c, 1, kernel, kernel}, 2);
          CheckOp({"Deconv2d", attrs, {x, Const(w), Const(RandomF32({c}, 3))}});
          CheckOp({"Deconv2d", attrs, {x, w}});
        }
      }
    }
  }
}

// Small groups, several of which are computed as one: as many as divide the
// number of groups and fill the columns of a micro-kernel.
TEST(Deconv2d, SmallGroups) {
  for (int64_t group : {2, 6, 7, 16}) {
    for (int64_t in : {1, 3}) {
      for (int64_t out : {2, 5}) {
        SCOPED_TRACE(ToString(Shape{group, in, out}));
        const AttrMap attrs = {
            {"strides", Ints{2, 2}}, {"padding", int64_t{1}}, {"group", group}};
        const TestTensor x = RandomF32({2, 5, 6, in * group}, 1);
        const TestTensor w = RandomF32({out * group, in, 4, 3}, 2);
        const TestTensor b = Const(RandomF32({out * group}, 3));
        CheckOp({"Deconv2d", attrs, {x, Const(w), b}});
        CheckOp({"Deconv2d", attrs, {x, w, b}});
        CheckOp({"Deconv2d", attrs, {x, StoredAs(DataType::kF16, w), b}},
                ToleranceOfStoredFp16());
      }
    }
  }
}

// Groups that are computed as depthwise convolutions over spread lines: windows
// of several lines, within which the tasks of threads begin, and of one line;
// gaps between the taps; outputs without inputs; several images. The last case
// fills vectors by itself and is a matrix product.
TEST(Deconv2d, SpreadGroups) {
  struct Group {
    int64_t count, in, out;
  };
  for (const Group& g :
       {Group{16, 4, 4}, Group{4, 16, 16}, Group{12, 2, 3}, Group{8, 3, 1},
        Group{20, 1, 2}, Group{5, 3, 8}, Group{2, 7, 33}}) {
    for (int64_t kernel : {1, 2, 3, 5}) {
      for (int64_t stride : {1, 2, 3}) {
        for (int64_t dilation : {1, 2}) {
          SCOPED_TRACE(
              ToString(Shape{g.count, g.in, g.out, kernel, stride, dilation}));
          const int64_t channels = g.count * g.out;
          const AttrMap attrs = {
              {"strides", Ints{stride, 2}},
              {"dilations", Ints{dilation, 1}},
              {"padding", int64_t{4}},
              {"padding_values", Ints{kernel / 3, 0, kernel / 2, kernel / 5}},
              {"output_padding", Ints{stride - 1, 1}},
              {"group", g.count},
              {"activation", stride == 3 ? "TANH" : "RELU"}};
          const TestTensor x = RandomF32({2, 7, 5, g.count * g.in}, 1);
          const TestTensor w = RandomF32({channels, g.in, kernel, kernel}, 2);
          CheckOp({"Deconv2d",
                   attrs,
                   {x, Const(w), Const(RandomF32({channels}, 3))}});
          if (dilation == 1) CheckOp({"Deconv2d", attrs, {x, w}});
        }
      }
    }
  }
}

// Spread lines that do not fit into the cache as a whole: blocks of groups.
TEST(Deconv2d, BlocksOfSpreadGroups) {
  for (int64_t out : {7, 4, 3}) {
    SCOPED_TRACE(out);
    const int64_t channels = 16 * out;
    const AttrMap attrs = {{"strides", Ints{2, 2}},
                           {"padding", int64_t{1}},
                           {"group", int64_t{16}}};
    const TestTensor x = RandomF32({2, 5, 67, 16 * 8}, 1);
    const TestTensor w = RandomF32({channels, 8, 3, 4}, 2);
    const TestTensor b = Const(RandomF32({channels}, 3));
    CheckOp({"Deconv2d", attrs, {x, Const(w), b}});
    CheckOp({"Deconv2d", attrs, {x, w, b}});
    CheckOp({"Deconv2d", attrs, {x, StoredAs(DataType::kF16, w)}},
            ToleranceOfStoredFp16());
  }
}

TEST(Deconv2d, OutputShapes) {
  const auto shape = [](AttrMap attrs) {
    return InferTypes(
               {"Deconv2d",
                std::move(attrs),
                {RandomF32({1, 4, 5, 2}, 1), RandomF32({3, 2, 3, 3}, 2)}})
        .at(0)
        .shape;
  };
  EXPECT_EQ(shape({{"strides", Ints{2, 3}}}), (Shape{1, 9, 15, 3}));
  EXPECT_EQ(shape({{"strides", Ints{2, 3}}, {"padding", int64_t{1}}}),
            (Shape{1, 8, 15, 3}));
  EXPECT_EQ(shape({{"strides", Ints{2, 3}}, {"output_shape", Ints{10, 16}}}),
            (Shape{1, 10, 16, 3}));
}

TEST(Deconv2d, Errors) {
  ExpectInferError({"Deconv2d",
                    {{"padding", int64_t{2}}},
                    {RandomF32({1, 1, 1, 2}, 1), RandomF32({3, 2, 3, 3}, 2)}},
                   "the padding leaves -1 outputs");
  ExpectInferError({"Deconv2d",
                    {},
                    {RandomF32({1, 1, 1, 2}, 1), RandomF32({3, 2, 3, 3}, 2),
                     Absent(), I32({4}, {1, 3, 3, 3})}},
                   "must be known before the model runs");
}

// The GPU refuses it.
TEST(Deconv2d, PaddingOfMoreThan32Bits) {
  CheckOp({"Deconv2d",
           {{"strides", Ints{int64_t{1} << 30, 1}},
            {"padding", int64_t{1}},
            {"output_shape", Ints{1, 1}}},
           {F32({1, 5, 1, 1}, {1, 2, 3, 4, 5}), Const(F32({1, 1, 1, 1}, {2}))}},
          {F32({1, 1, 1, 1}, {6})});
}

}  // namespace
}  // namespace mace::testing
