// LshProjection: meaning and kernels. Literal values are those of LiteRT 1.4;
// test/golden/lsh_projection_test.py has more.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

const AttrMap kDense = {{"type", "DENSE"}}, kSparse = {{"type", "SPARSE"}};

TestTensor Seeds() {
  return I32({2, 4}, {1, -2, 3, 0x3f800000, 5, 1 << 30, INT32_MIN, 0});
}

// 0, 1, 2, ...
TestTensor Counted(Shape shape) {
  std::vector<int32_t> values(NumElements(shape));
  std::iota(values.begin(), values.end(), 0);
  return I32(std::move(shape), values);
}

// A feature has the bytes of its type.
TEST(LshProjection, EachType) {
  const TestTensor w = F32({3}, {0.5f, -2, 3});
  TestTensor bytes =
      Quantized(DataType::kI8, {3, 3}, {1, 2, 3, -4, 5, 6, 7, 8, -9}, 1, 0);
  bytes.type.quantization = nullptr;
  const struct {
    TestTensor x;
    std::vector<int32_t> plain, weighted;
  } cases[] = {{F32({3, 2}, {1, 2, -0.0f, 4, 5.5f, 1e30f}),
                {1, 0, 0, 1, 1, 0, 1, 0},
                {1, 1, 1, 1, 1, 1, 1, 0}},
               {I32({3}, {7, -8, 9}),
                {1, 0, 0, 1, 0, 0, 1, 0},
                {0, 1, 1, 1, 1, 0, 1, 0}},
               {I64({3}, {7, -8, 9}),
                {1, 0, 0, 1, 0, 0, 1, 1},
                {1, 1, 1, 0, 1, 0, 1, 1}},
               {bytes, {0, 1, 1, 0, 1, 0, 1, 0}, {0, 1, 0, 0, 1, 1, 1, 0}},
               {Bool({3}, {1, 0, 1}),
                {0, 0, 1, 1, 1, 0, 0, 1},
                {0, 1, 1, 1, 1, 0, 0, 1}}};
  for (const auto& c : cases) {
    SCOPED_TRACE(ToString(c.x.type));
    CheckOp({"LshProjection", kDense, {c.x, Seeds()}}, {I32({8}, c.plain)});
    CheckOp({"LshProjection", kDense, {c.x, Seeds(), w}},
            {I32({8}, c.weighted)});
    for (const bool has_weights : {false, true}) {
      const std::vector<int32_t>& b = has_weights ? c.weighted : c.plain;
      const TestTensor want =
          I32({2}, {8 * b[0] + 4 * b[1] + 2 * b[2] + b[3],
                    16 + 8 * b[4] + 4 * b[5] + 2 * b[6] + b[7]});
      CheckOp({"LshProjection",
               kSparse,
               {c.x, Seeds(), has_weights ? w : Absent()}},
              {want});
    }
  }
}

// Numbers are those of unsigned integers, and wrap around.
TEST(LshProjection, ManyBits) {
  const TestTensor x = I32({3}, {7, -8, 9});
  CheckOp({"LshProjection", kSparse, {x, Counted({1, 32})}},
          {I32({1}, {1792201021})});
  CheckOp({"LshProjection", kSparse, {x, Counted({2, 31})}},
          {I32({2}, {896100510, -1004940189})});
  CheckOp({"LshProjection", kSparse, {x, Counted({6, 30})}},
          {I32({6}, {448050255, 1359377688, -1298205631, -647431196, 179358460,
                     1742212788})});
  CheckOp({"LshProjection", kSparse, {x, I32({2, 0}, {})}}, {I32({2}, {0, 1})});
  CheckOp({"LshProjection", kDense, {x, I32({2, 0}, {})}}, {I32({0}, {})});
  CheckOp({"LshProjection", kSparse, {x, I32({0, 4}, {})}}, {I32({0}, {})});
}

// A sum of 0 and one that is no number are not above 0; any weight counts.
TEST(LshProjection, Sums) {
  const TestTensor twice = I32({2}, {7, 7}),
                   none = I32({8}, {0, 0, 0, 0, 0, 0, 0, 0});
  CheckOp({"LshProjection", kDense, {twice, Seeds(), F32({2}, {1, -1})}},
          {none});
  CheckOp({"LshProjection", kDense, {twice, Seeds(), F32({2}, {1, NAN})}},
          {none});
  const TestTensor once = I32({8}, {1, 0, 1, 1, 1, 0, 0, 0});
  CheckOp({"LshProjection", kDense, {I32({1}, {7}), Seeds()}}, {once});
  for (const float weight : {1e-40f, 1.0f, INFINITY}) {
    CheckOp(
        {"LshProjection", kDense, {I32({1}, {7}), Seeds(), F32({1}, {weight})}},
        {once});
  }
  CheckOp(
      {"LshProjection", kDense, {I32({1}, {7}), Seeds(), F32({1}, {-1e-40f})}},
      {I32({8}, {0, 1, 0, 0, 0, 1, 1, 1})});
}

// Features without bytes are keys of a seed alone. Long ones have several
// tasks.
TEST(LshProjection, ShortAndLongFeatures) {
  CheckOp({"LshProjection", kDense, {F32({2, 0}, {}), Seeds()}},
          {I32({8}, {1, 1, 1, 1, 0, 1, 0, 0})});
  for (const int64_t width : {1, 2, 3, 4, 7, 8, 15, 16, 31, 300, 5000}) {
    CheckOp({"LshProjection",
             kDense,
             {RandomF32({9, width}, 3), Counted({5, 7}), RandomF32({9}, 4)}});
  }
}

TEST(LshProjection, Errors) {
  const TestTensor x = I32({3}, {7, -8, 9});
  ExpectInferError({"LshProjection", {{"type", "UNKNOWN"}}, {x, Seeds()}},
                   "UNKNOWN");
  ExpectInferError({"LshProjection", {}, {I32({}, {1}), Seeds()}},
                   "x i32[] must have a first axis, of 1 feature or more");
  ExpectInferError({"LshProjection", {}, {I32({0, 3}, {}), Seeds()}},
                   "x i32[0,3] must have a first axis");
  ExpectInferError({"LshProjection", {}, {x, Counted({8})}},
                   "input 1 is i32[8], it must be [hash functions, bits");
  ExpectInferError({"LshProjection", {}, {x, F32({1, 2}, {1, 2})}}, "f32");
  ExpectInferError({"LshProjection", {}, {x, Counted({2, 33})}},
                   "33 bits for each hash function; there may be 32");
  ExpectInferError({"LshProjection", kSparse, {x, Counted({2, 32})}},
                   "type SPARSE with 32 bits for each of 2 hash functions");
  ExpectInferError({"LshProjection", {}, {x, Seeds(), F32({2}, {1, 2})}},
                   "one weight per feature: [3]");
  ExpectInferError({"LshProjection", {}, {x, Seeds(), F32({3, 1}, {1, 2, 3})}},
                   "one weight per feature: [3]");
  ExpectInferError({"LshProjection", {}, {x, Seeds(), I32({3}, {1, 2, 3})}},
                   "input 2");
  ExpectInferError(
      {"LshProjection",
       {},
       {Quantized(DataType::kI8, {3}, {1, 2, 3}, 0.5f, 0), Seeds()}},
      "quantized");
}

}  // namespace
}  // namespace mace::testing
