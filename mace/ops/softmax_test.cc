// Softmax: meaning and kernels.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

// Values from numpy 1.24: exp(x - x.max()) / sum.
TEST(Softmax, LastAxis) {
  CheckOp({"Softmax", {}, {F32({2, 3}, {1, 2, 3, 1000, 1000, 1000})}},
          {F32({2, 3}, {0.09003057f, 0.24472848f, 0.66524094f, 1 / 3.f, 1 / 3.f,
                        1 / 3.f})});
}

TEST(Softmax, FirstAxisAndLog) {
  CheckOp({"Softmax",
           {{"axis", int64_t{0}}, {"use_log", int64_t{1}}},
           {F32({2, 1}, {0, 1})}},
          {F32({2, 1}, {-1.3132616f, -0.31326166f})});
}

TEST(Softmax, EveryAxis) {
  for (int64_t axis : {-4, -1, 0, 1, 2}) {
    CheckOp({"Softmax", {{"axis", axis}}, {RandomF32({3, 5, 2, 7}, 1)}});
  }
}

// Around the blocks of four channels that a GPU's images have.
TEST(Softmax, ChannelBlocks) {
  for (int64_t c : {1, 3, 4, 5, 8, 13}) {
    for (int64_t axis : {1, 3}) {
      for (int64_t use_log : {0, 1}) {
        SCOPED_TRACE(c);
        CheckOp({"Softmax",
                 {{"axis", axis}, {"use_log", use_log}},
                 {RandomF32({2, 3, 2, c}, 1, -5, 5)}});
      }
    }
  }
  CheckOp({"Softmax", {}, {RandomF32({2, 1001}, 1, -5, 5)}});
}

TEST(Softmax, Empty) { CheckOp({"Softmax", {}, {F32({2, 0}, {})}}); }

TEST(Softmax, Errors) {
  ExpectInferError({"Softmax", {{"axis", int64_t{4}}}, {F32({2}, {1, 2})}},
                   "Softmax 'test': axis 4 is out of range for rank 1");
  ExpectInferError({"Softmax", {{"axsi", int64_t{1}}}, {F32({1}, {1})}},
                   "unknown attribute 'axsi'");
  ExpectInferError({"Softmax", {{"axis", 1.5f}}, {F32({1}, {1})}},
                   "attribute 'axis' must be an integer");
  ExpectInferError({"Softmax", {}, {}}, "takes 1 inputs, got 0");
}

}  // namespace
}  // namespace mace::testing
