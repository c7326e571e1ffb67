// Hardmax: meaning and kernels.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

// Values from onnx 1.17's ReferenceEvaluator.
TEST(Hardmax, LastAxisTakesTheFirstOfEquals) {
  CheckOp({"Hardmax",
           {},
           {F32({4, 4}, {3, 0, 1, 2, 2, 5, 1, 0, 0, 1, 3, 2, 0, 1, 3, 3})}},
          {F32({4, 4}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0})});
}

TEST(Hardmax, FirstAxis) {
  CheckOp({"Hardmax", {{"axis", int64_t{0}}}, {F32({2, 2}, {1, 4, 2, -1})}},
          {F32({2, 2}, {0, 1, 1, 0})});
}

TEST(Hardmax, EveryAxis) {
  for (int64_t axis : {-4, -1, 0, 1, 2}) {
    CheckOp({"Hardmax", {{"axis", axis}}, {RandomF32({3, 5, 2, 7}, 1)}});
  }
}

TEST(Hardmax, Empty) {
  CheckOp({"Hardmax", {}, {F32({2, 0}, {})}});
  CheckOp({"Hardmax", {{"axis", int64_t{0}}}, {F32({2, 0}, {})}});
}

TEST(Hardmax, Errors) {
  ExpectInferError({"Hardmax", {{"axis", int64_t{2}}}, {F32({2}, {1, 2})}},
                   "Hardmax 'test': axis 2 is out of range for rank 1");
  ExpectInferError({"Hardmax", {}, {F32({}, {1})}}, "out of range");
}

}  // namespace
}  // namespace mace::testing
