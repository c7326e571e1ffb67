// MatMul: meaning and kernels.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

// Values from onnxruntime 1.20 and numpy 1.26.
TEST(MatMul, Batched) {
  for (bool constant : {false, true}) {
    auto b = RandomF32({3, 3, 2}, 27);
    b.constant = constant;
    CheckOp({"MatMul", {}, {RandomF32({2, 1, 2, 3}, 26), b}},
            {F32({2, 3, 2, 2},
                 {0.34348938f,  0.3659609f,    0.45441517f,  0.45343232f,
                  -0.34494418f, -0.060619958f, -0.3132369f,  -0.04563278f,
                  -0.5307698f,  -0.20321918f,  -0.57668173f, -0.21375223f,
                  -0.24117866f, -0.734673f,    -0.53426856f, -0.4527822f,
                  1.3233087f,   0.7022717f,    -0.95598596f, 0.06453012f,
                  1.2785501f,   0.11583758f,   -0.5183114f,  -0.626166f})});
  }
}

TEST(MatMul, Transposed) {
  CheckOp({"MatMul",
           {{"transpose_a", int64_t{1}}, {"transpose_b", int64_t{1}}},
           {RandomF32({3, 2}, 28), RandomF32({4, 3}, 29)}},
          {F32({2, 4}, {0.7295108f, -0.95033973f, 0.30968705f, 0.11123159f,
                        -0.4448932f, -0.0674026f, -0.2748688f, 0.41066462f})});
}

TEST(MatMul, Vectors) {
  const auto v = F32({3}, {1, 2, 3});
  CheckOp({"MatMul", {}, {v, F32({3, 2}, {1, 2, 3, 4, 5, 6})}},
          {F32({2}, {22, 28})});
  CheckOp({"MatMul", {}, {F32({2, 3}, {1, 2, 3, 4, 5, 6}), v}},
          {F32({2}, {14, 32})});
  CheckOp({"MatMul", {}, {v, v}}, {F32({}, {14})});
}

TEST(MatMul, Empty) {
  CheckOp({"MatMul", {}, {F32({2, 0}, {}), F32({0, 2}, {})}},
          {F32({2, 2}, {0, 0, 0, 0})});
  CheckOp({"MatMul", {}, {F32({0, 2, 3}, {}), RandomF32({3, 2}, 1)}});
}

TEST(MatMul, Sizes) {
  for (int64_t m : {1, 5, 30}) {
    for (int64_t k : {1, 515}) {
      for (int64_t n : {1, 70}) {
        for (int64_t ta : {0, 1}) {
          for (int64_t tb : {0, 1}) {
            SCOPED_TRACE(ToString(Shape{m, k, n, ta, tb}));
            const auto a = RandomF32(ta ? Shape{2, k, m} : Shape{2, m, k}, 1);
            const auto b = RandomF32(tb ? Shape{n, k} : Shape{k, n}, 2);
            const AttrMap attrs = {{"transpose_a", ta}, {"transpose_b", tb}};
            CheckOp({"MatMul", attrs, {a, b}});
            CheckOp({"MatMul", attrs, {a, Const(b)}});
          }
        }
      }
    }
  }
}

// Numbers of channels around the blocks of four in images of a GPU.
TEST(MatMul, ChannelBlocks) {
  for (int64_t c : {1, 3, 4, 5, 8, 13}) {
    SCOPED_TRACE(c);
    for (int64_t t : {0, 1}) {
      const AttrMap attrs = {{"transpose_a", t}, {"transpose_b", t}};
      CheckOp({"MatMul",
               attrs,
               {RandomF32(t ? Shape{2, 3, c, 6} : Shape{2, 3, 6, c}, 1),
                RandomF32(t ? Shape{2, 3, 7, c} : Shape{2, 3, c, 7}, 2)}});
      CheckOp({"MatMul",
               attrs,
               {RandomF32({2, 5, 5}, 1),
                RandomF32(t ? Shape{2, c, 5} : Shape{2, 5, c}, 2)}});
    }
  }
}

TEST(MatMul, Errors) {
  ExpectInferError({"MatMul", {}, {RandomF32({2, 3}, 1), RandomF32({2, 3}, 1)}},
                   "do not multiply: 3 columns against 2 rows");
  ExpectInferError({"MatMul", {}, {F32({}, {1}), RandomF32({2, 3}, 1)}},
                   "operands need a dimension");
  ExpectInferError(
      {"MatMul", {}, {RandomF32({2, 2, 3}, 1), RandomF32({3, 3, 2}, 1)}},
      "do not broadcast together");
}

}  // namespace
}  // namespace mace::testing
