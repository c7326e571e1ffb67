// Normalizations, BiasAdd and PRelu: meaning and kernels. Literal values are
// those of onnxruntime 1.20 unless stated otherwise.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

TestTensor Scale() { return F32({2}, {2, 0.5f}); }
TestTensor Offset() { return F32({2}, {1, -1}); }
// A tensor [N,L,C].
TestTensor Sequence() {
  return F32({2, 3, 2}, {1, 2, 3, 5, 5, 14, 0, 2, 4, 2, 2, 2});
}

TEST(BatchNorm, Literal) {
  const std::vector<TestTensor> inputs = {F32({2, 2}, {1, 2, 3, 4}), Scale(),
                                          Offset(), F32({2}, {0.5f, 1}),
                                          F32({2}, {4, 0.25f})};
  CheckOp({"BatchNorm", {{"epsilon", 1e-3f}}, inputs},
          {F32({2, 2}, {1.4999375f, -0.0019940138f, 3.4996877f, 1.9940181f})},
          1e-6f);
  CheckOp({"BatchNorm",
           {{"epsilon", 1e-3f},
            {"activation", std::string("RELUX")},
            {"max_limit", 3.0f}},
           inputs},
          {F32({2, 2}, {1.4999375f, 0, 3, 1.9940181f})}, 1e-6f);
}

TEST(BatchNorm, LargeEmptyAndErrors) {
  const auto inputs = [](Shape x, int64_t c) {
    return std::vector<TestTensor>{
        RandomF32(std::move(x), 1), RandomF32({c}, 2), RandomF32({c}, 3),
        RandomF32({c}, 4), RandomF32({c}, 5, 0.5f, 2)};
  };
  CheckOp({"BatchNorm", {}, inputs({2, 19, 23, 37}, 37)});
  CheckOp({"BatchNorm",
           {{"activation", std::string("TANH")}},
           inputs({3, 37}, 37)});
  CheckOp({"BatchNorm", {}, inputs({0, 3}, 3)});
  CheckOp({"BatchNorm", {}, inputs({2, 0}, 0)});
  ExpectInferError({"BatchNorm", {}, inputs({2, 3}, 4)},
                   "input 1 is f32[4], it must have one value per channel: "
                   "[3]");
  ExpectInferError(
      {"BatchNorm", {{"activation", std::string("CLIP")}}, inputs({2, 3}, 3)},
      "activation 'CLIP' must be one of NOOP");
}

// Values from TensorFlow 2.19.
TEST(BiasAdd, Literal) {
  const TestTensor x = F32({2, 2}, {1, 2, -3, -4});
  CheckOp({"BiasAdd", {}, {x, Offset()}}, {F32({2, 2}, {2, 1, -2, -5})});
  CheckOp({"BiasAdd", {{"activation", std::string("RELU")}}, {x, Offset()}},
          {F32({2, 2}, {2, 1, 0, 0})});
  CheckOp({"BiasAdd",
           {{"activation", std::string("SIGMOID")}},
           {RandomF32({5, 7, 33}, 1), RandomF32({33}, 2)}});
  ExpectInferError({"BiasAdd", {}, {x, F32({1}, {1})}},
                   "it must have one value per channel: [2]");
  ExpectInferError({"BiasAdd", {}, {F32({}, {1}), F32({1}, {1})}},
                   "out of range for rank 0");
}

TEST(PRelu, Literal) {
  const TestTensor x = F32({2, 3}, {-1, 2, -3, 4, -5, -6});
  CheckOp({"PRelu", {}, {x, F32({3}, {0.1f, 0.2f, 0.3f})}},
          {F32({2, 3}, {-0.1f, 2, -0.9f, 4, -1, -1.8f})}, 1e-7f);
  CheckOp({"PRelu", {}, {x, F32({2, 1}, {0.5f, 2})}},
          {F32({2, 3}, {-0.5f, 2, -1.5f, 4, -10, -12})}, 1e-7f);
  CheckOp({"PRelu", {}, {x, F32({}, {2})}},
          {F32({2, 3}, {-2, 2, -6, 4, -10, -12})}, 1e-7f);
  CheckOp({"PRelu", {}, {RandomF32({2, 19, 23, 37}, 1), RandomF32({37}, 2)}});
  ExpectInferError({"PRelu", {}, {x, F32({2}, {1, 2})}},
                   "alpha f32[2] does not broadcast to x f32[2,3]");
}

TEST(InstanceNorm, Literal) {
  const std::vector<TestTensor> inputs = {Sequence(), Scale(), Offset()};
  CheckOp(
      {"InstanceNorm", {{"epsilon", 1e-3f}}, inputs},
      {F32({2, 3, 2}, {-1.4490305f, -1.4902809f, 1, -1.1961123f, 3.4490309f,
                       -0.31360662f, -1.4490306f, -1, 3.4490306f, -1, 1, -1})},
      1e-6f);
  CheckOp(
      {"InstanceNorm",
       {{"epsilon", 1e-3f}, {"activation", std::string("RELU")}},
       inputs},
      {F32({2, 3, 2}, {0, 0, 1, 0, 3.4490309f, 0, 0, 0, 3.4490306f, 0, 1, 0})},
      1e-6f);
  CheckOp({"InstanceNorm",
           {},
           {RandomF32({2, 31, 17, 45}, 1), RandomF32({45}, 2),
            RandomF32({45}, 3)}});
  CheckOp({"InstanceNorm", {}, {F32({2, 0, 2}, {}), Scale(), Offset()}});
  ExpectInferError({"InstanceNorm", {}, {F32({2}, {1, 2}), Scale(), Offset()}},
                   "x f32[2] must be [N, ..., C]");
}

TEST(LayerNorm, Literal) {
  CheckOp({"LayerNorm", {{"epsilon", 1e-3f}}, {Sequence(), Scale(), Offset()}},
          {F32({2, 3, 2}, {-0.9960121f, -0.50099695f, -0.9990008f, -0.5002498f,
                           -0.99995065f, -0.50001234f, -0.9990008f, -0.5002498f,
                           2.9990008f, -1.4997501f, 1, -1})},
          1e-6f);
  const TestTensor over_two =
      F32({2, 3, 2}, {-0.93419856f, -0.7006489f, -0.46709928f, 0, 0, 2.1019468f,
                      -1.7320442f, 0, 1.7320442f, 0, 0, 0});
  CheckOp({"LayerNorm",
           {{"axis", int64_t{1}}},
           {Sequence(), F32({3, 2}, {1, 1, 1, 1, 1, 1})}},
          {over_two}, 1e-6f);
  CheckOp({"LayerNorm", {{"axis", int64_t{-2}}}, {Sequence()}}, {over_two},
          1e-6f);
  CheckOp({"LayerNorm",
           {},
           {RandomF32({70, 300}, 1), Absent(), RandomF32({300}, 2)}});
  ExpectInferError({"LayerNorm", {{"axis", int64_t{1}}}, {Sequence(), Scale()}},
                   "input 1 is f32[2], it must be [3,2]");
}

// By the definition, in NumPy.
TEST(LayerNorm, WithoutTheMean) {
  const TestTensor x = F32({2, 2}, {3, 4, -1, 7});
  CheckOp({"LayerNorm", {{"epsilon", 0.f}, {"centered", false}}, {x}},
          {F32({2, 2}, {0.84852815f, 1.1313709f, -0.2f, 1.4f})}, 1e-6f);
  CheckOp({"LayerNorm",
           {{"axis", int64_t{0}}, {"epsilon", 0.25f}, {"centered", false}},
           {x, F32({2, 2}, {1, 2, 1, 0.5f}), F32({2, 2}, {0, 1, 0, 0})}},
          {F32({2, 2}, {0.6882472f, 2.8353257f, -0.22941573f, 0.8029551f})},
          1e-6f);
  CheckOp({"LayerNorm",
           {{"centered", false}},
           {RandomF32({70, 300}, 1), RandomF32({300}, 2)}});
}

// Values from TensorFlow 2.19; with a size, from NumPy by the definition.
TEST(LocalResponseNorm, Literal) {
  const TestTensor x = F32({1, 5}, {1, 2, 3, 4, 5});
  CheckOp({"LocalResponseNorm", {}, {x}},
          {F32({1, 5}, {0.13363062f, 0.26726124f, 0.40089184f, 0.5345225f,
                        0.6681531f})},
          1e-6f);
  CheckOp({"LocalResponseNorm",
           {{"depth_radius", int64_t{1}}, {"alpha", 0.5f}, {"beta", 0.75f}},
           {x}},
          {F32({1, 5},
               {0.39079496f, 0.4204482f, 0.38403648f, 0.3474002f, 0.5007733f})},
          1e-6f);
  CheckOp(
      {"LocalResponseNorm",
       {{"size", int64_t{4}}, {"alpha", 0.5f}, {"beta", 0.6f}, {"bias", 2.0f}},
       {x}},
      {F32({1, 5},
           {0.26758051f, 0.36539334f, 0.39781618f, 0.55365819f, 0.77207679f})},
      1e-6f);
  CheckOp({"LocalResponseNorm", {{"depth_radius", int64_t{1} << 62}}, {x}},
          {F32({1, 5}, {0.13363062f, 0.26726124f, 0.40089184f, 0.5345225f,
                        0.6681531f})},
          1e-6f);
  CheckOp({"LocalResponseNorm", {}, {RandomF32({2, 9, 9, 40}, 1)}});
  ExpectInferError({"LocalResponseNorm", {{"depth_radius", int64_t{-1}}}, {x}},
                   "depth_radius -1 and size 0 must be 0 or larger");
}

TEST(LpNorm, Literal) {
  const TestTensor x = F32({3, 2}, {3, -4, 0, 0, 1, 2});
  CheckOp({"LpNorm", {}, {x}},
          {F32({3, 2}, {0.6f, -0.8f, 0, 0, 0.4472136f, 0.8944272f})}, 1e-6f);
  CheckOp({"LpNorm", {{"p", int64_t{1}}, {"axis", int64_t{0}}}, {x}},
          {F32({3, 2}, {0.75f, -0.6666667f, 0, 0, 0.25f, 0.33333334f})}, 1e-6f);
  CheckOp({"LpNorm", {{"epsilon", 10.0f}}, {x}},
          {F32({3, 2}, {0.3f, -0.4f, 0, 0, 0.1f, 0.2f})}, 1e-6f);
  for (int64_t axis : {0, 1, 2}) {
    CheckOp({"LpNorm", {{"axis", axis}}, {RandomF32({7, 11, 13}, 1)}});
  }
  ExpectInferError({"LpNorm", {{"p", int64_t{3}}}, {x}},
                   "p 3 must be one of L1 (1), L2 (2)");
}

// Numbers of channels around the blocks of four in images of a GPU.
TEST(ChannelBlocks, Norms) {
  for (int64_t c : {1, 3, 4, 5, 8, 13}) {
    SCOPED_TRACE(c);
    const TestTensor x = RandomF32({2, 5, 3, c}, 1);
    const auto channel = [c](uint32_t seed) {
      return Const(RandomF32({c}, seed, 0.5f, 2));
    };
    CheckOp({"BatchNorm",
             {{"activation", std::string("RELU")}},
             {x, channel(2), channel(3), channel(4), channel(5)}});
    CheckOp({"BiasAdd", {}, {x, channel(2)}});
    CheckOp({"PRelu", {}, {x, channel(2)}});
    CheckOp({"PRelu", {}, {x, Const(RandomF32({5, 3, 1}, 2))}});
    CheckOp({"InstanceNorm", {}, {x, channel(2), channel(3)}});
    CheckOp({"LayerNorm", {}, {x, channel(2), channel(3)}});
    CheckOp({"LayerNorm", {{"centered", false}}, {x, channel(2)}});
    CheckOp({"LayerNorm",
             {{"axis", int64_t{1}}},
             {x, Const(RandomF32({5, 3, c}, 4))}});
    CheckOp({"LocalResponseNorm", {{"depth_radius", int64_t{2}}}, {x}});
    CheckOp({"LocalResponseNorm", {{"size", int64_t{4}}, {"beta", 0.6f}}, {x}});
    for (int64_t axis : {1, 3}) {
      CheckOp({"LpNorm", {{"axis", axis}}, {x}});
    }
  }
}

}  // namespace
}  // namespace mace::testing
