// Softmax: meaning and kernels.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

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

// Numbers of channels around the blocks of four in images of a GPU.
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

// Lengths around vectors, groups of four vectors, and blocks of adjacent lines.
TEST(Softmax, Lengths) {
  for (int64_t n : {2, 7, 15, 16, 17, 31, 33, 63, 64, 65, 130, 257}) {
    for (int64_t use_log : {0, 1}) {
      SCOPED_TRACE(ToString(Shape{n, use_log}));
      const AttrMap rows = {{"use_log", use_log}};
      CheckOp({"Softmax", rows, {RandomF32({3, n}, 1, -5, 5)}});
      const AttrMap columns = {{"axis", int64_t{1}}, {"use_log", use_log}};
      CheckOp({"Softmax", columns, {RandomF32({2, 5, n}, 2, -5, 5)}});
      CheckOp({"Softmax", columns, {RandomF32({2, n, 3}, 3, -5, 5)}});
    }
  }
}

// Rows of equal elements, of very different ones (the sum is the largest
// alone), with -infinity among numbers, and with NaN; then the same along
// columns.
TEST(Softmax, SpecialRows) {
  const float inf = INFINITY;
  for (int64_t n : {3, 20, 67}) {
    std::vector<float> values(5 * n), want(5 * n);
    for (int64_t k = 0; k < n; ++k) {
      const auto count = static_cast<float>(n);
      values[k] = 1e30f, want[k] = 1 / count;
      values[n + k] = k == n - 1 ? 3e38f : -3e38f;
      want[n + k] = k == n - 1 ? 1 : 0;
      values[2 * n + k] = k % 2 == 0 ? 7.f : -inf;
      want[2 * n + k] = k % 2 == 0 ? 1 / static_cast<float>((n + 1) / 2) : 0;
      values[3 * n + k] = k == n / 2 ? NAN : 1.f, want[3 * n + k] = NAN;
      values[4 * n + k] = -inf, want[4 * n + k] = NAN;
    }
    CheckOp({"Softmax", {}, {F32({5, n}, values)}}, {F32({5, n}, want)});
    std::vector<float> turned(5 * n), turned_want(5 * n);
    for (int64_t r = 0; r < 5; ++r) {
      for (int64_t k = 0; k < n; ++k) {
        turned[k * 5 + r] = values[r * n + k];
        turned_want[k * 5 + r] = want[r * n + k];
      }
    }
    CheckOp({"Softmax", {{"axis", int64_t{0}}}, {F32({n, 5}, turned)}},
            {F32({n, 5}, turned_want)});
  }
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
