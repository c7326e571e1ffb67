// FullyConnected: meaning and kernels.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

// Values from onnxruntime 1.20 (Gemm).
TEST(FullyConnected, Flattens) {
  for (bool constant : {false, true}) {
    auto w = RandomF32({4, 6}, 22);
    w.constant = constant;
    CheckOp({"FullyConnected",
             {},
             {RandomF32({2, 2, 3}, 21), w, RandomF32({4}, 23)}},
            {F32({2, 4}, {0.65857977f, -0.32030702f, 0.2974038f, 0.10767096f,
                          1.1151625f, 0.5673278f, 0.794363f, 0.04447162f})});
  }
}

// Values from numpy 1.26.
TEST(FullyConnected, KeepsLeadingDimensions) {
  CheckOp(
      {"FullyConnected",
       {},
       {RandomF32({2, 2, 3}, 24), Const(RandomF32({2, 3}, 25))}},
      {F32({2, 2, 2}, {0.5854966f, -0.26113102f, -0.33003533f, -0.029937813f,
                       -0.08062292f, -0.13041641f, 0.2959655f, -0.67542225f})});
}

TEST(FullyConnected, Sizes) {
  for (int64_t m : {1, 17}) {
    for (int64_t k : {1, 15, 1030}) {
      for (int64_t n : {1, 130}) {
        SCOPED_TRACE(ToString(Shape{m, k, n}));
        CheckOp({"FullyConnected",
                 {{"activation", "SIGMOID"}},
                 {RandomF32({m, k}, 1), Const(RandomF32({n, k}, 2)),
                  Const(RandomF32({n}, 3))}});
      }
    }
  }
}

// Numbers of channels around the blocks of four in images of a GPU.
TEST(FullyConnected, ChannelBlocks) {
  for (int64_t c : {1, 3, 4, 5, 8, 13}) {
    SCOPED_TRACE(c);
    CheckOp({"FullyConnected",
             {{"activation", "RELU"}},
             {RandomF32({2, 3, 4, c}, 1), Const(RandomF32({6, 12 * c}, 2)),
              Const(RandomF32({6}, 3))}});
    CheckOp({"FullyConnected",
             {},
             {RandomF32({2, 3, 4, 5}, 1), Const(RandomF32({c, 5}, 2))}});
  }
}

// Few rows and many, columns that end within a block and a panel, and a weight
// that takes several chunks.
TEST(FullyConnected, QuantizedWeights) {
  for (const DataType stored : {DataType::kI8, DataType::kU8,
                                DataType::kI8Blocks, DataType::kU4Blocks}) {
    for (const int64_t m : {1, 3, 4, 33}) {
      for (const auto& [n, k] : {std::pair<int64_t, int64_t>{1, 1},
                                 {5, 31},
                                 {19, 64},
                                 {70, 33},
                                 {1100, 300}}) {
        if (m > 4 && n > 1000) continue;
        SCOPED_TRACE(std::to_string(m) + " " + std::to_string(n) + " " +
                     std::to_string(k));
        const TestTensor w = StoredAs(stored, RandomF32({n, k}, 2));
        const TestTensor x = RandomF32({m, k}, 1);
        CheckOp({"FullyConnected", {}, {x, w, RandomF32({n}, 3)}}, 1e-4f);
        CheckOp(
            {"FullyConnected", {{"activation", std::string("TANH")}}, {x, w}},
            1e-4f);
      }
    }
    CheckOp({"FullyConnected",
             {},
             {F32({0, 4}, {}), StoredAs(stored, RandomF32({3, 4}, 2))}});
  }
}

TEST(FullyConnected, Errors) {
  ExpectInferError(
      {"FullyConnected", {}, {RandomF32({2, 5}, 1), RandomF32({4, 6}, 2)}},
      "x f32[2,5] does not split into rows of the 6 columns");
}

}  // namespace
}  // namespace mace::testing
