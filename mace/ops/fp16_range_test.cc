// Constants that fp16 cannot hold: what it would make infinite or nearly zero
// is float32 wherever the rest is fp16.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

// Far beyond fp16 for the most part, of either sign.
TestTensor Large(const Shape& shape) {
  return Const(RandomF32(shape, 1, -0x1p20f, 0x1p20f));
}

TestTensor Same(const Shape& shape, float value) {
  return F32(shape, std::vector<float>(NumElements(shape), value));
}

TEST(Fp16Range, LargeFilters) {
  constexpr float kSmall = 0x1p-10f;
  const TestTensor x = RandomF32({1, 7, 9, 8}, 7, -kSmall, kSmall);
  CheckOp({"Conv2d", {}, {x, Large({12, 8, 1, 1})}}, 1e-4f);
  // By Winograd's method, too.
  CheckOp({"Conv2d", {{"padding", int64_t{1}}}, {x, Large({12, 8, 3, 3})}},
          1e-4f);
  CheckOp({"Conv2d", {{"group", int64_t{2}}}, {x, Large({12, 4, 2, 2})}},
          1e-4f);
  CheckOp({"DepthwiseConv2d", {}, {x, Large({1, 8, 3, 3})}}, 1e-4f);
  CheckOp({"Deconv2d",
           {{"strides", std::vector<int64_t>{2, 2}}},
           {RandomF32({1, 2, 3, 4}, 7, -kSmall, kSmall), Large({4, 4, 2, 2})}},
          1e-4f);
  const TestTensor rows = RandomF32({3, 40}, 7, -kSmall, kSmall);
  CheckOp({"FullyConnected", {}, {rows, Large({10, 40})}}, 1e-4f);
  CheckOp({"MatMul", {}, {rows, Large({40, 10})}}, 1e-4f);
}

// What fp16 would round to 0, often enough to add up.
TEST(Fp16Range, TinyFilters) {
  CheckOp({"Conv2d",
           {},
           {Same({1, 2, 2, 512}, 60000), Const(Same({4, 512, 1, 1}, 2e-8f))}},
          {Same({1, 2, 2, 4}, 0.6144f)});
  CheckOp({"FullyConnected",
           {},
           {Same({2, 512}, 60000), Const(Same({3, 512}, 2e-8f))}},
          {Same({2, 3}, 0.6144f)});
}

// A bias that takes back what a filter of large numbers adds up to.
TEST(Fp16Range, Biases) {
  const TestTensor x = F32({1, 1, 2, 4}, {16, 16, 16, 16, 8, 8, 8, 8});
  const TestTensor bias = Const(F32({2}, {-130000, 60000}));
  const std::vector<float> w = {2048, 2048, 2048, 2048, -1, -1, -1, -1};
  const std::vector<float> y = {131072 - 130000, 60000 - 64, 65536 - 130000.f,
                                60000 - 32};
  CheckOp({"Conv2d", {}, {x, Const(F32({2, 4, 1, 1}, w)), bias}},
          {F32({1, 1, 2, 2}, y)});
  CheckOp({"FullyConnected",
           {},
           {F32({2, 4}, {16, 16, 16, 16, 8, 8, 8, 8}), Const(F32({2, 4}, w)),
            bias}},
          {F32({2, 2}, y)});
  CheckOp({"BiasAdd",
           {},
           {F32({1, 1, 1, 2}, {60000, 4}), Const(F32({2}, {-120000, 0}))}},
          {F32({1, 1, 1, 2}, {-60000, 4})});
}

TEST(Fp16Range, Norms) {
  const auto of = [](float v) { return Const(F32({2}, {v, 1})); };
  // 0.001 * 1e6 - 1, and an offset that mean * scale takes back.
  const TestTensor x = F32({1, 1, 1, 2}, {0.5f, 2});
  CheckOp({"BatchNorm",
           {{"epsilon", 0.f}},
           {x, of(1e6f), of(-4e5f), of(0.0625f), of(1)}},
          {F32({1, 1, 1, 2}, {37500, 2})});
  CheckOp({"LayerNorm",
           {{"epsilon", 0.f}, {"axis", int64_t{-1}}},
           {F32({1, 2}, {1, 3}), of(1e5f), Const(F32({2}, {1.5e5f, 1}))}},
          {F32({1, 2}, {50000, 2})});
}

TEST(Fp16Range, ElementwiseOperands) {
  const TestTensor x =
      F32({1, 1, 2, 3}, {0.0625f, -0.0625f, 0, 0.03125f, 0.0625f, 4});
  const auto eltwise = [&](const char* type, TestTensor operand) {
    return OpCase{
        "Eltwise", {{"type", std::string(type)}}, {x, Const(operand)}};
  };
  CheckOp(eltwise("PROD", F32({3}, {1e6f, -1e6f, 2})),
          {F32({1, 1, 2, 3}, {62500, 62500, 0, 31250, -62500, 8})});
  CheckOp(eltwise("MIN", F32({}, {1e7f})), {x});
  CheckOp(eltwise("MAX", F32({}, {-1e7f})), {x});
  // Of 1e-7, fp16 would make 1.19e-7.
  CheckOp({"Eltwise",
           {{"type", std::string("DIV")}},
           {F32({1, 1, 1, 2}, {0x1p-10f, 0}), Const(F32({}, {1e-7f}))}},
          {F32({1, 1, 1, 2}, {9765.625f, 0})});
  CheckOp({"PRelu",
           {},
           {F32({1, 1, 1, 2}, {-0.0625f, 3}), Const(F32({2}, {1e6f, 1e6f}))}},
          {F32({1, 1, 1, 2}, {-62500, 3})});
}

}  // namespace
}  // namespace mace::testing
