// Append: meaning and kernels.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

OpCase Append(int64_t axis, TestTensor cache, TestTensor past, TestTensor rows,
              int outputs) {
  return {"Append",
          {{"axis", axis}},
          {std::move(cache), std::move(past), std::move(rows)},
          outputs};
}

TEST(Append, WritesBehindTheRowsSoFar) {
  const TestTensor cache = F32({2, 4, 1}, {1, 2, -1, -2, 3, 4, -3, -4});
  const TestTensor past = F32({2, 2, 1}, {9, 9, 9, 9});  // only its shape
  CheckOp(Append(1, cache, past, F32({2, 1, 1}, {5, 6}), 3),
          {F32({2, 4, 1}, {1, 2, 5, -2, 3, 4, 6, -4}), I64({1}, {3}),
           F32({2, 3, 1}, {1, 2, 5, 3, 4, 6})});
  CheckOp(Append(-2, cache, past, F32({2, 2, 1}, {5, 6, 7, 8}), 2),
          {F32({2, 4, 1}, {1, 2, 5, 6, 3, 4, 7, 8}), I64({1}, {4})});
}

TEST(Append, MakesMoreRoomWhereItIsNeeded) {
  std::vector<float> least(16);
  least[0] = 7;
  CheckOp(Append(0, F32({0}, {}), F32({0}, {}), F32({1}, {7}), 3),
          {F32({16}, least), I64({1}, {1}), F32({1}, {7})});
  // Twice as much, and as much as the rows need.
  for (const int64_t n : {1, 20}) {
    std::vector<float> rows(n), want(n == 1 ? 36 : 38);
    for (int64_t i = 0; i < n; ++i) rows[i] = static_cast<float>(i + 1);
    std::copy(rows.begin(), rows.end(), want.begin() + 18);
    CheckOp(Append(0, F32({18}, std::vector<float>(18)),
                   F32({18}, std::vector<float>(18)), F32({n}, rows), 1),
            {F32({static_cast<int64_t>(want.size())}, want)});
  }
}

TEST(Append, Types) {
  CheckOp(Append(0, I32({3}, {1, 2, 3}), I32({1}, {0}), I32({1}, {9}), 1),
          {I32({3}, {1, 9, 3})});
  CheckOp(Append(0, Bool({2}, {1, 1}), Bool({1}, {1}), Bool({1}, {0}), 1),
          {Bool({2}, {1, 0})});
}

TEST(Append, Errors) {
  const TestTensor cache = F32({2, 2}, {1, 2, 3, 4});
  const TestTensor one = F32({2, 1}, {5, 6});
  ExpectInferError(Append(2, cache, one, one, 1), "axis 2");
  ExpectInferError(Append(1, cache, F32({1, 1}, {0}), one, 1),
                   "input 1 is f32[1,1], it may differ from input 0 f32[2,2] "
                   "only along axis 1");
  ExpectInferError(Append(1, cache, one, F32({2}, {0, 0}), 1),
                   "input 2 is f32[2], it may differ");
  ExpectInferError(Append(1, cache, F32({2, 3}, std::vector<float>(6)), one, 1),
                   "input 1 has 3 rows along axis 1, but input 0, which must "
                   "hold them, has 2");
  ExpectInferError(Append(1, cache, one, I32({2, 1}, {1, 2}), 1), "input 2");
  TestTensor huge = F32({0, 1}, {});
  huge.type.shape = {0, int64_t{1} << 60};
  ExpectInferError(Append(1, huge, huge, huge, 1), "are too large");
}

}  // namespace
}  // namespace mace::testing
