// Pad of tensors of one axis, which is that of the channels, and of constants.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <numeric>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

// 1, 2, ... n.
TestTensor From1(int64_t n) {
  std::vector<float> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), 1.f);
  return F32({n}, values);
}

OpCase PadOf(const TestTensor& x, const char* mode, const Ints& paddings) {
  return {
      "Pad", {{"pad_type", std::string(mode)}, {"paddings", paddings}}, {x}};
}

TEST(Pad, OneElementAfterOneAxis) {
  CheckOp(PadOf(From1(4), "CONSTANT", {0, 1}), {F32({5}, {1, 2, 3, 4, 0})});
  CheckOp(PadOf(From1(4), "EDGE", {0, 1}), {F32({5}, {1, 2, 3, 4, 4})});
  CheckOp(PadOf(From1(4), "REFLECT", {0, 1}), {F32({5}, {1, 2, 3, 4, 3})});
  CheckOp(PadOf(From1(4), "SYMMETRIC", {0, 1}), {F32({5}, {1, 2, 3, 4, 4})});
}

TEST(Pad, BlocksAroundOneAxis) {
  CheckOp(PadOf(From1(8), "CONSTANT", {4, 4}),
          {F32({16}, {0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0})});
  CheckOp(PadOf(From1(8), "EDGE", {4, 4}),
          {F32({16}, {1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 8})});
  CheckOp(PadOf(From1(8), "REFLECT", {4, 4}),
          {F32({16}, {5, 4, 3, 2, 1, 2, 3, 4, 5, 6, 7, 8, 7, 6, 5, 4})});
  CheckOp(PadOf(From1(8), "SYMMETRIC", {4, 4}),
          {F32({16}, {4, 3, 2, 1, 1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 6, 5})});
}

TEST(Pad, OneAxisOfEverySize) {
  for (const char* mode : {"CONSTANT", "EDGE", "REFLECT", "SYMMETRIC"}) {
    for (int64_t n = 5; n <= 12; ++n) {
      for (const int64_t before : {-4, -1, 0, 1, 3, 4}) {
        for (const int64_t after : {-1, 0, 1, 4}) {
          SCOPED_TRACE(mode + ToString(Shape{n, before, after}));
          if (n + before + after < 1) continue;
          CheckOp(PadOf(From1(n), mode, {before, after}), 0);
        }
      }
    }
  }
}

// The GPU has no images for them.
TEST(Pad, ConstantWithoutElements) {
  CheckOp(PadOf(Const(F32({10, 0}, {})), "CONSTANT", {0, 0, 0, 3}),
          {F32({10, 3}, std::vector<float>(30, 0))});
}

// As an image it has too many rows for many a GPU.
TEST(Pad, ConstantOfManyRows) {
  CheckOp({"Pad",
           {{"paddings", Ints{0, 2 - 70000, 0, 0}}},
           {Const(RandomF32({70000, 3}, 1))}},
          0);
}

}  // namespace
}  // namespace mace::testing
