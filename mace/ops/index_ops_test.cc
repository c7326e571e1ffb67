// Ops that pick elements by index: meaning and kernels. Literal values are
// NumPy 1.26's and TensorFlow 2.19's.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <numeric>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

// 0, 1, 2, ...
TestTensor Count(const Shape& shape) {
  std::vector<float> values(NumElements(shape));
  std::iota(values.begin(), values.end(), 0.0f);
  return F32(shape, values);
}

TEST(Gather, Literal) {
  CheckOp({"Gather",
           {{"axis", int64_t{1}}},
           {Count({2, 3, 2}), I64({3}, {2, -1, 0})}},
          {F32({2, 3, 2}, {4, 5, 4, 5, 0, 1, 10, 11, 10, 11, 6, 7})});
  CheckOp({"Gather",
           {{"axis", int64_t{1}}, {"batch_dims", int64_t{1}}},
           {Count({2, 3, 2}), I32({2, 2}, {2, 0, 1, 1})}},
          {F32({2, 2, 2}, {4, 5, 0, 1, 8, 9, 8, 9})});
  CheckOp({"Gather", {}, {I64({3}, {7, 8, 9}), I32({}, {1})}}, {I64({}, {8})});
  CheckOp({"Gather", {}, {F32({2, 0}, {}), I32({1}, {1})}}, {F32({1, 0}, {})});
}

TEST(Gather, Errors) {
  const TestTensor x = Count({2, 3});
  ExpectInferError({"Gather", {}, {x, F32({1}, {0})}},
                   "input 1 is f32[1], it must be i32, i64");
  ExpectInferError({"Gather", {{"axis", int64_t{2}}}, {x, I32({1}, {0})}},
                   "axis 2 is out of range");
  ExpectInferError({"Gather",
                    {{"axis", int64_t{1}}, {"batch_dims", int64_t{1}}},
                    {x, I32({3, 1}, {0, 0, 0})}},
                   "batch_dims 1 must count equal leading axes of x f32[2,3] "
                   "and idx i32[3,1] before axis 1");
}

}  // namespace
}  // namespace mace::testing
