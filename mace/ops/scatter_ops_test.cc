// Scattering with reductions, bits, and running products. Literal values are
// those of NumPy 1.26 and onnx 1.17's ReferenceEvaluator.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

TEST(ScatterElements, Literal) {
  const TestTensor data = F32({1, 5}, {1, 2, 3, 4, 5});
  const TestTensor idx = I64({1, 2}, {1, -4}), updates = F32({1, 2}, {7, 2});
  const AttrMap axis = {{"axis", int64_t{1}}};
  CheckOp({"ScatterElements", axis, {data, idx, updates}},
          {F32({1, 5}, {1, 2, 3, 4, 5})});
  const struct {
    const char* reduction;
    float second;
  } cases[] = {{"SUM", 11}, {"PROD", 28}, {"MIN", 2}, {"MAX", 7}};
  for (const auto& c : cases) {
    AttrMap attrs = axis;
    attrs["reduction"] = c.reduction;
    CheckOp({"ScatterElements", attrs, {data, idx, updates}},
            {F32({1, 5}, {1, c.second, 3, 4, 5})});
  }
}

TEST(ScatterElements, Types) {
  CheckOp({"ScatterElements",
           {{"reduction", "SUM"}},
           {I32({3}, {1, INT32_MAX, 3}), I32({2}, {1, 1}), I32({2}, {1, 1})}},
          {I32({3}, {1, INT32_MIN + 1, 3})});
  CheckOp({"ScatterElements",
           {},
           {Bool({2}, {0, 0}), I32({1}, {-1}), Bool({1}, {1})}},
          {Bool({2}, {0, 1})});
  CheckOp({"ScatterElements",
           {},
           {F32({0, 2}, {}), I32({0, 2}, {}), F32({0, 2}, {})}},
          {F32({0, 2}, {})});
  CheckOp({"ScatterElements",
           {{"reduction", "MAX"}},
           {F32({2}, {NAN, 1}), I32({2}, {0, 1}), F32({2}, {5, NAN})}},
          {F32({2}, {NAN, NAN})});
}

TEST(ScatterElements, Errors) {
  const TestTensor data = F32({2, 2}, {1, 2, 3, 4}), one = F32({1, 1}, {7});
  ExpectInferError({"ScatterElements",
                    {{"axis", int64_t{2}}},
                    {data, I32({1, 1}, {0}), one}},
                   "axis 2 is out of range");
  ExpectInferError({"ScatterElements",
                    {},
                    {data, I32({1, 3}, {0, 0, 0}), F32({1, 3}, {1, 2, 3})}},
                   "only along axis 0");
  ExpectInferError({"ScatterElements", {}, {data, I32({1, 2}, {0, 0}), one}},
                   "must have the shape of idx");
  ExpectInferError({"ScatterElements",
                    {{"reduction", "MEAN"}},
                    {data, I32({1, 1}, {0}), one}},
                   "MEAN");
  ExpectInferError({"ScatterElements",
                    {{"reduction", "SUM"}},
                    {Bool({1}, {1}), I32({1}, {0}), Bool({1}, {1})}},
                   "bool");
  ExpectRunError({"ScatterElements", {}, {data, I32({1, 1}, {2}), one}},
                 "index 2 is out of range for extent 2");
  ExpectRunError({"ScatterElements", {}, {data, I64({1, 1}, {INT64_MIN}), one}},
                 "is out of range for extent 2");
}

TEST(ScatterNd, Reductions) {
  const TestTensor data = F32({2, 2}, {1, 2, 3, 4});
  const TestTensor idx = I32({2, 1}, {1, 1});
  const TestTensor updates = F32({2, 2}, {1, 10, 2, 20});
  CheckOp({"ScatterNd", {{"reduction", "SUM"}}, {data, idx, updates}},
          {F32({2, 2}, {1, 2, 6, 34})});
  CheckOp({"ScatterNd", {{"reduction", "PROD"}}, {data, idx, updates}},
          {F32({2, 2}, {1, 2, 6, 800})});
  CheckOp({"ScatterNd", {{"reduction", "MIN"}}, {data, idx, updates}},
          {F32({2, 2}, {1, 2, 1, 4})});
  CheckOp({"ScatterNd", {{"reduction", "MAX"}}, {data, idx, updates}},
          {F32({2, 2}, {1, 2, 3, 20})});
}

TEST(Bitwise, Literal) {
  const TestTensor a = I32({4}, {6, -1, INT32_MIN, 5}), b = I32({}, {3});
  const auto check = [&](const char* type, const TestTensor& by,
                         const std::vector<int32_t>& y) {
    CheckOp({"Bitwise", {{"type", type}}, {a, by}}, {I32({4}, y)});
  };
  check("AND", b, {2, 3, 0, 1});
  check("OR", b, {7, -1, INT32_MIN + 3, 7});
  check("XOR", b, {5, -4, INT32_MIN + 3, 6});
  check("SHIFT_LEFT", b, {48, -8, 0, 40});
  check("SHIFT_RIGHT", b, {0, -1, -(1 << 28), 0});
  for (const int32_t beyond : {32, 1000, -1, INT32_MIN}) {
    check("SHIFT_LEFT", I32({}, {beyond}), {0, 0, 0, 0});
    check("SHIFT_RIGHT", I32({}, {beyond}), {0, -1, -1, 0});
  }
  CheckOp({"Bitwise",
           {{"type", "SHIFT_LEFT"}},
           {I64({2}, {1, 1}), I64({2}, {40, INT64_MIN})}},
          {I64({2}, {int64_t{1} << 40, 0})});
  CheckOp({"Bitwise", {}, {I32({0}, {}), I32({1}, {1})}}, {I32({0}, {})});
}

TEST(Bitwise, Errors) {
  ExpectInferError(
      {"Bitwise", {{"type", "NAND"}}, {I32({}, {1}), I32({}, {1})}}, "NAND");
  ExpectInferError({"Bitwise", {}, {F32({}, {1}), F32({}, {1})}},
                   "it must be i32, i64");
  ExpectInferError({"Bitwise", {}, {I32({2}, {1, 2}), I32({3}, {1, 2, 3})}},
                   "broadcast");
}

TEST(Bitcast, Literal) {
  CheckOp({"Bitcast", {{"to", "i32"}}, {F32({2}, {1.0f, -0.0f})}},
          {I32({2}, {0x3f800000, INT32_MIN})});
  CheckOp({"Bitcast", {{"to", "f32"}}, {I32({1, 1}, {0x40000000})}},
          {F32({1, 1}, {2.0f})});
  ExpectInferError({"Bitcast", {{"to", "i64"}}, {F32({1}, {1})}},
                   "the bits of f32[1] are no elements of i64");
  ExpectInferError({"Bitcast", {{"to", "f64"}}, {F32({1}, {1})}}, "f64");
  ExpectInferError({"Bitcast", {{"to", "bool"}}, {Bool({1}, {1})}},
                   "are no elements of bool");
}

TEST(Cumsum, Products) {
  const TestTensor x = F32({4}, {1, 2, 3, 4});
  CheckOp({"Cumsum", {{"product", int64_t{1}}}, {x}},
          {F32({4}, {1, 2, 6, 24})});
  CheckOp({"Cumsum",
           {{"product", int64_t{1}},
            {"exclusive", int64_t{1}},
            {"reverse", int64_t{1}}},
           {x}},
          {F32({4}, {24, 12, 4, 1})});
}

TEST(Unary, Erfc) {
  CheckOp({"Unary", {{"type", "ERFC"}}, {F32({3}, {0, 1, 5})}},
          {F32({3}, {1, 0.15729921f, 1.5374597e-12f})});
}

}  // namespace
}  // namespace mace::testing
