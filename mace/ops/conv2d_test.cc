// Conv2d: meaning and kernels.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

// Values from onnxruntime 1.20.
TEST(Conv2d, SameStride2Relux) {
  CheckOp({"Conv2d",
           {{"strides", Ints{2, 2}},
            {"padding", int64_t{1}},
            {"activation", "RELUX"},
            {"max_limit", 0.5f}},
           {RandomF32({1, 4, 5, 2}, 1), Const(RandomF32({3, 2, 3, 3}, 2)),
            Const(RandomF32({3}, 3))}},
          {F32({1, 2, 3, 3},
               {0.f, 0.f, 0.f, 0.f, 0.f, 0.5f, 0.3230074f, 0.f, 0.f,
                0.13957673f, 0.f, 0.5f, 0.f, 0.f, 0.5f, 0.f, 0.f, 0.5f})});
}

TEST(Conv2d, GroupedDilatedExplicit) {
  CheckOp({"Conv2d",
           {{"dilations", Ints{2, 1}},
            {"padding", int64_t{4}},
            {"padding_values", Ints{1, 2, 0, 1}},
            {"group", int64_t{2}}},
           {RandomF32({1, 5, 4, 4}, 4), Const(RandomF32({4, 2, 2, 3}, 5))}},
          {F32({1, 4, 5, 4},
               {-0.03189679f, 0.030252516f, 0.30247888f,  0.11319875f,
                0.52211064f,  0.5014666f,   0.3723411f,   -0.3429987f,
                -1.67845f,    0.09086109f,  -1.3849609f,  0.17798753f,
                0.9223491f,   -1.5361894f,  0.5398237f,   0.48015139f,
                1.0543009f,   0.067795485f, 0.24600744f,  -0.45314595f,
                0.89515054f,  -1.4576539f,  -0.12873086f, -0.11326231f,
                1.4371281f,   -0.5446549f,  -0.21475148f, 1.6293752f,
                0.27831507f,  -0.12868921f, -0.27287275f, 0.43229812f,
                -0.6960333f,  1.3949177f,   1.5900002f,   0.73162794f,
                -0.86473846f, -0.62156147f, 2.4407585f,   0.69130266f,
                -0.18263085f, -1.410962f,   0.04858011f,  -1.0968459f,
                2.086143f,    1.4850235f,   1.076289f,    0.004919943f,
                -0.82068545f, -0.79198784f, -0.38122264f, 0.43426773f,
                -2.1672997f,  1.1562308f,   -2.4242847f,  -0.8140817f,
                -0.36657822f, 1.1451616f,   -1.0300301f,  -1.2891946f,
                -0.646449f,   -0.4877389f,  0.14319655f,  -0.8048927f,
                0.5728304f,   -1.1129191f,  -1.061395f,   0.28624994f,
                2.5683258f,   0.097465195f, -0.95134974f, 1.0969466f,
                0.3244137f,   -2.9382107f,  -0.36285654f, 1.7239174f,
                0.16564034f,  0.55547464f,  0.75176257f,  1.2787402f})});
}

TEST(Conv2d, OneByOneUnknownWeights) {
  CheckOp({"Conv2d",
           {},
           {RandomF32({2, 1, 2, 3}, 6), RandomF32({2, 3, 1, 1}, 7),
            RandomF32({2}, 8)}},
          {F32({2, 1, 2, 2},
               {-0.5951128f, -1.6938918f, 0.40110743f, -1.6800216f, 1.2259436f,
                -1.3644184f, -0.62728167f, -2.1185703f})});
}

// Sizes with every kind of remainder: of rows, columns, channels and threads.
TEST(Conv2d, Sizes1x1) {
  for (int64_t channels : {1, 16, 65}) {
    for (int64_t outputs : {1, 8, 33, 96}) {
      for (int64_t side : {1, 7}) {
        SCOPED_TRACE(ToString(Shape{channels, outputs, side}));
        CheckOp({"Conv2d",
                 {{"activation", "RELU"}},
                 {RandomF32({1, side, side, channels}, 1),
                  Const(RandomF32({outputs, channels, 1, 1}, 2)),
                  Const(RandomF32({outputs}, 3))}});
      }
    }
  }
}

TEST(Conv2d, Sizes) {
  for (int64_t kernel : {2, 3}) {
    for (int64_t stride : {1, 2}) {
      for (int64_t dilation : {1, 2}) {
        for (int64_t padding : {0, 1, 2, 3}) {
          for (int64_t channels : {3, 20}) {
            SCOPED_TRACE(
                ToString(Shape{kernel, stride, dilation, padding, channels}));
            CheckOp({"Conv2d",
                     {{"strides", Ints{stride, stride}},
                      {"dilations", Ints{dilation, dilation}},
                      {"padding", padding}},
                     {RandomF32({2, 11, 19, channels}, 1),
                      Const(RandomF32({18, channels, kernel, kernel}, 2)),
                      Const(RandomF32({18}, 3))}});
          }
        }
      }
    }
  }
}

// More multiply-adds for each output than one block has.
TEST(Conv2d, Deep) {
  CheckOp({"Conv2d",
           {{"padding", int64_t{1}}},
           {RandomF32({1, 5, 5, 700}, 1), Const(RandomF32({40, 700, 3, 3}, 2)),
            Const(RandomF32({40}, 3))}});
  CheckOp(
      {"Conv2d",
       {},
       {RandomF32({1, 3, 5, 4100}, 1), Const(RandomF32({40, 4100, 1, 1}, 2))}});
}

TEST(Conv2d, EveryActivation) {
  for (const char* activation :
       {"NOOP", "RELU", "RELUX", "TANH", "SIGMOID", "LEAKYRELU", "ELU", "SELU",
        "HARDSIGMOID", "HARDSWISH", "SOFTPLUS", "SOFTSIGN", "GELU", "SWISH"}) {
    SCOPED_TRACE(activation);
    CheckOp({"Conv2d",
             {{"activation", activation},
              {"max_limit", 6.f},
              {"activation_coefficient", 0.25f}},
             {RandomF32({1, 5, 5, 9}, 1, -5, 5),
              Const(RandomF32({37, 9, 1, 1}, 2))}});
  }
}

// Shapes that Winograd's method can compute, with numbers of channels around
// the blocks of four in images of a GPU.
TEST(Conv2d, ThreeByThreeAtStrideOne) {
  for (int64_t c : {1, 3, 4, 5, 8, 13, 64}) {
    for (int64_t padding : {0, 1}) {
      SCOPED_TRACE(ToString(Shape{c, padding}));
      CheckOp(
          {"Conv2d",
           {{"padding", padding}, {"activation", "RELU"}},
           {RandomF32({2, 7, 10, c}, 1), Const(RandomF32({c + 2, c, 3, 3}, 2)),
            Const(RandomF32({c + 2}, 3))}});
    }
  }
}

// The pixels of a group are not contiguous. Windows at the borders, several of
// which begin in one tile and some of which lie outside, are copied pixel by
// pixel.
TEST(Conv2d, Groups) {
  for (int64_t in : {1, 5, 8}) {
    for (int64_t kernel : {1, 2, 3, 5}) {
      for (int64_t stride : {1, 2, 3}) {
        for (int64_t padding : {0, 1, 2}) {
          SCOPED_TRACE(ToString(Shape{in, kernel, stride, padding}));
          CheckOp({"Conv2d",
                   {{"group", int64_t{3}},
                    {"strides", Ints{stride, stride}},
                    {"padding", padding}},
                   {RandomF32({2, 6, 19, 3 * in}, 1),
                    Const(RandomF32({3 * 18, in, kernel, kernel}, 2)),
                    Const(RandomF32({3 * 18}, 3))}});
        }
      }
    }
  }
}

// As filters of audio are written.
TEST(Conv2d, ImagesOneElementWide) {
  for (const int64_t kernel : {2, 3, 100}) {
    for (const int64_t stride : {1, 3}) {
      for (const int64_t group : {1, 2}) {
        SCOPED_TRACE(ToString(Shape{kernel, stride, group}));
        CheckOp({"Conv2d",
                 {{"strides", Ints{stride, 2}},
                  {"dilations", Ints{2, 1}},
                  {"padding_values", Ints{7, 0, 4, 0}},
                  {"padding", int64_t{4}},
                  {"group", group}},
                 {RandomF32({2, 230, 1, 4}, 1),
                  Const(RandomF32({6, 4 / group, kernel, 1}, 2)),
                  Const(RandomF32({6}, 3))}});
      }
    }
  }
  CheckOp(
      {"Conv2d",
       {},
       {RandomF32({1, 700, 1, 1}, 1), Const(RandomF32({1, 1, 512, 1}, 2))}});
}

TEST(Conv2d, EmptyBatch) {
  CheckOp({"Conv2d",
           {},
           {F32({0, 4, 4, 2}, {}), Const(RandomF32({3, 2, 3, 3}, 1))}},
          {F32({0, 2, 2, 3}, {})});
}

TEST(Conv2d, Errors) {
  const auto x = RandomF32({1, 4, 4, 2}, 1);
  ExpectInferError({"Conv2d", {}, {x, RandomF32({3, 3, 1, 1}, 2)}},
                   "w [3,3,1,1] does not fit x f32[1,4,4,2] and group 1");
  ExpectInferError({"Conv2d", {}, {x, RandomF32({3, 2, 5, 1}, 2)}},
                   "kernel 5x1 is larger than the padded input [1,4,4,2]");
  ExpectInferError({"Conv2d", {}, {x, RandomF32({3, 2, 3}, 2)}},
                   "w must be [O, C / group, kh, kw]");
  ExpectInferError(
      {"Conv2d", {}, {x, RandomF32({3, 2, 1, 1}, 2), RandomF32({4}, 3)}},
      "b must be [3], one value per output channel, it is f32[4]");
  ExpectInferError(
      {"Conv2d", {{"strides", Ints{0, 1}}}, {x, RandomF32({3, 2, 1, 1}, 2)}},
      "attribute 'strides' must be at least 1");
  ExpectInferError({"Conv2d",
                    {{"padding_values", Ints{1, 1, 1, 1}}},
                    {x, RandomF32({3, 2, 1, 1}, 2)}},
                   "padding_values are only for padding 4");
  ExpectInferError(
      {"Conv2d", {{"activation", "RELU7"}}, {x, RandomF32({3, 2, 1, 1}, 2)}},
      "activation 'RELU7' must be one of NOOP, RELU");
  ExpectInferError({"Conv2d",
                    {{"dilations", Ints{int64_t{1} << 40, 1}}},
                    {x, RandomF32({3, 2, 3, 1}, 2)}},
                   "at most 1073741824");
}

}  // namespace
}  // namespace mace::testing
