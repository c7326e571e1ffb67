// RotaryEmbedding: meaning and kernels. Literal values are those of NumPy 1.26.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

TestTensor R(Shape shape, uint32_t seed) {
  return RandomF32(std::move(shape), seed);
}

OpCase Turn(const AttrMap& attrs, const std::vector<TestTensor>& inputs) {
  return {"RotaryEmbedding", attrs, inputs,
          static_cast<int>(inputs.size()) - 2};
}

// Angles whose cosine is .6 and whose sine is .8, and the reverse.
TEST(RotaryEmbedding, Literal) {
  const TestTensor x = F32({1, 1, 1, 6}, {1, 2, 3, 4, 5, 6});
  const TestTensor cos = F32({2}, {0.6f, 0.8f}), sin = F32({2}, {0.8f, 0.6f});
  CheckOp(Turn({{"size", int64_t{4}}}, {cos, sin, x}),
          {F32({1, 1, 1, 6}, {-1.8f, -0.8f, 2.6f, 4.4f, 5, 6})});
  CheckOp(
      Turn({{"size", int64_t{4}}, {"interleaved", int64_t{1}}}, {cos, sin, x}),
      {F32({1, 1, 1, 6}, {-1.0f, 2.0f, 0.0f, 5.0f, 5, 6})});
  // A cosine and a sine for each element.
  const TestTensor all = F32({6}, {1, 2, 3, 4, 5, 6});
  const TestTensor signs = F32({6}, {1, 0, -1, 0, 1, 2});
  CheckOp(Turn({}, {all, signs, x}),
          {F32({1, 1, 1, 6}, {-3, 4, 15, 16, 27, 42})});
  CheckOp(Turn({{"interleaved", int64_t{1}}}, {all, signs, x}),
          {F32({1, 1, 1, 6}, {-1, 4, 13, 16, 19, 46})});
}

// Heads as an axis or not, whole vectors or parts, both sorts of pairs, angles
// of each rank, known before and computed, for two tensors with other heads.
TEST(RotaryEmbedding, Arrangements) {
  for (const int64_t size : {0, 2, 6, 8, 16}) {
    for (const bool interleaved : {false, true}) {
      for (const bool halved : {false, true}) {
        SCOPED_TRACE(size * 4 + interleaved * 2 + halved);
        const int64_t last = (size == 0 ? 24 : size) / (halved ? 2 : 1);
        const AttrMap attrs = {{"size", size},
                               {"interleaved", int64_t{interleaved}},
                               {"heads", Ints{0, 2}}};
        const TestTensor q = R({2, 3, 5, 24}, 1), k = R({2, 5, 48}, 2);
        for (const Shape& lead : {Shape{}, {5}, {1, 5}, {2, 1, 5}, {2, 1, 1}}) {
          Shape shape = lead;
          shape.push_back(last);
          const TestTensor cos = R(shape, 3), sin = R({5, last}, 4);
          CheckOp(Turn(attrs, {cos, sin, q, k}));
          CheckOp(Turn(attrs, {Const(cos), Const(sin), q, k}));
        }
      }
    }
  }
  CheckOp(Turn(
      {}, {R({3, 4, 8}, 1), R({2, 3, 1, 8}, 2), Const(R({2, 3, 4, 8}, 3))}));
}

TEST(RotaryEmbedding, ManyRows) {
  CheckOp(Turn({{"heads", Ints{8, 2}}},
               {R({300, 32}, 1), R({300, 32}, 2), R({1, 300, 512}, 3),
                R({1, 300, 128}, 4)}));
}

TEST(RotaryEmbedding, Empty) {
  CheckOp(Turn({}, {F32({0, 2}, {}), F32({0, 2}, {}), F32({1, 2, 0, 4}, {})}),
          {F32({1, 2, 0, 4}, {})});
  CheckOp(Turn({}, {F32({3, 0}, {}), F32({3, 0}, {}), F32({1, 2, 3, 0}, {})}),
          {F32({1, 2, 3, 0}, {})});
}

TEST(RotaryEmbedding, Errors) {
  const TestTensor x = R({1, 2, 3, 4}, 1), angles = R({3, 2}, 2);
  const auto fails = [&](const AttrMap& attrs, const char* text) {
    ExpectInferError(Turn(attrs, {angles, angles, x}), text);
  };
  fails({{"heads", Ints{3}}}, "it must have 3 heads");
  fails({{"heads", Ints{2, 2}}}, "one number for each of 1 tensors");
  fails({{"heads", Ints{-1}}}, "it must have -1 heads");
  fails({{"size", int64_t{3}}}, "size 3 must be an even number of the 4");
  fails({{"size", int64_t{6}}}, "size 6 must be an even number of the 4");
  fails({{"size", int64_t{-2}}}, "size -2 must be an even number");
  ExpectInferError(Turn({}, {R({3, 3}, 2), angles, x}),
                   "cos f32[3,3] must end with 4 or half of it");
  ExpectInferError(Turn({}, {angles, R({3, 4}, 2), x}),
                   "sin f32[3,4] must end with 2, as cos does");
  ExpectInferError(Turn({}, {F32({}, {1}), angles, x}), "must end with 4");
  ExpectInferError(Turn({}, {R({5, 2}, 2), angles, x}), "does not broadcast");
  ExpectInferError(Turn({}, {angles, R({1, 1, 1, 1, 2}, 2), x}),
                   "does not broadcast");
  ExpectInferError(Turn({}, {angles, angles, R({1, 3, 8}, 1)}),
                   "it must have 0 heads");
  ExpectInferError(Turn({}, {angles, angles, R({1, 1, 3, 5}, 1)}),
                   "size 5 must be an even number");
  ExpectInferError({"RotaryEmbedding", {}, {angles, angles, x}, 2},
                   "has 2 outputs");
  ExpectInferError(Turn({}, {angles, angles, I32({1, 1, 1, 4}, {1, 2, 3, 4})}),
                   "input 2");
}

}  // namespace
}  // namespace mace::testing
