// Compare, Logical, Select, Cumsum: meaning and kernels. Literal values are
// those of NumPy 1.26 and TensorFlow 2.19.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

TEST(Compare, EveryType) {
  const TestTensor a = F32({4}, {1, 2, 3, NAN}), b = F32({}, {2});
  const struct {
    const char* type;
    std::vector<uint8_t> y;
  } kCases[] = {
      {"EQUAL", {0, 1, 0, 0}},   {"NOT_EQUAL", {1, 0, 1, 1}},
      {"LESS", {1, 0, 0, 0}},    {"LESS_EQUAL", {1, 1, 0, 0}},
      {"GREATER", {0, 0, 1, 0}}, {"GREATER_EQUAL", {0, 1, 1, 0}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.type);
    CheckOp({"Compare", {{"type", std::string(c.type)}}, {a, b}},
            {Bool({4}, c.y)});
  }
}

TEST(Compare, TypesAndBroadcasting) {
  CheckOp({"Compare",
           {{"type", std::string("LESS")}},
           {I64({2, 1}, {0, 5}), I64({3}, {4, 5, 6})}},
          {Bool({2, 3}, {1, 1, 1, 0, 0, 1})});
  CheckOp({"Compare", {}, {Bool({2}, {1, 0}), Bool({2}, {1, 1})}},
          {Bool({2}, {1, 0})});
  CheckOp({"Compare", {}, {I32({0}, {}), I32({1}, {1})}}, {Bool({0}, {})});
  CheckOp({"Compare",
           {{"type", std::string("GREATER")}},
           {RandomF32({9, 1, 700}, 1), RandomF32({33, 1}, 2)}});
  ExpectInferError({"Compare",
                    {{"type", std::string("SAME")}},
                    {F32({}, {1}), F32({}, {1})}},
                   "type 'SAME' must be one of EQUAL");
  ExpectInferError({"Compare", {}, {F32({}, {1}), I32({}, {1})}},
                   "input 1 is i32[], it must be f32");
  ExpectInferError({"Compare", {}, {I32({2}, {1, 2}), I32({3}, {1, 2, 3})}},
                   "do not broadcast");
}

TEST(Logical, EveryType) {
  const TestTensor a = Bool({4}, {0, 0, 1, 1}), b = Bool({4}, {0, 1, 0, 1});
  const auto of = [&](const char* type) {
    return OpCase{"Logical", {{"type", std::string(type)}}, {a, b}};
  };
  CheckOp(of("AND"), {Bool({4}, {0, 0, 0, 1})});
  CheckOp(of("OR"), {Bool({4}, {0, 1, 1, 1})});
  CheckOp(of("XOR"), {Bool({4}, {0, 1, 1, 0})});
  CheckOp({"Logical", {{"type", std::string("NOT")}}, {a}},
          {Bool({4}, {1, 1, 0, 0})});
  CheckOp({"Logical", {}, {Bool({2, 1}, {0, 1}), Bool({2}, {1, 0})}},
          {Bool({2, 2}, {0, 0, 1, 0})});
  ExpectInferError(of("NAND"), "type 'NAND' must be one of AND, OR, XOR, NOT");
  ExpectInferError(of("NOT"), "NOT takes one input");
  ExpectInferError({"Logical", {}, {a}}, "AND takes two inputs");
  ExpectInferError({"Logical", {}, {a, I32({}, {1})}},
                   "input 1 is i32[], it must be bool");
}

TEST(Select, Broadcasting) {
  CheckOp(
      {"Select", {}, {Bool({2, 1}, {1, 0}), F32({2}, {1, 2}), F32({}, {9})}},
      {F32({2, 2}, {1, 2, 9, 9})});
  CheckOp({"Select", {}, {Bool({}, {0}), I64({2}, {1, 2}), I64({2}, {3, 4})}},
          {I64({2}, {3, 4})});
  CheckOp({"Select", {}, {Bool({2}, {1, 0}), Bool({2}, {1, 1}), Bool({}, {0})}},
          {Bool({2}, {1, 0})});
  CheckOp({"Select", {}, {Bool({0}, {}), F32({1}, {1}), F32({}, {2})}},
          {F32({0}, {})});
  ExpectInferError({"Select", {}, {F32({}, {1}), F32({}, {1}), F32({}, {1})}},
                   "input 0 is f32[], it must be bool");
  ExpectInferError({"Select", {}, {Bool({}, {1}), F32({}, {1}), I32({}, {1})}},
                   "input 2 is i32[], it must be f32");
}

TEST(Cumsum, Directions) {
  const TestTensor x = F32({4}, {1, 2, 3, 4});
  const auto of = [&x](int64_t exclusive, int64_t reverse) {
    return OpCase{
        "Cumsum", {{"exclusive", exclusive}, {"reverse", reverse}}, {x}};
  };
  CheckOp(of(0, 0), {F32({4}, {1, 3, 6, 10})});
  CheckOp(of(0, 1), {F32({4}, {10, 9, 7, 4})});
  CheckOp(of(1, 0), {F32({4}, {0, 1, 3, 6})});
  CheckOp(of(1, 1), {F32({4}, {9, 7, 4, 0})});
  CheckOp({"Cumsum", {}, {I32({2, 3}, {0, 1, 2, 3, 4, 5})}},
          {I32({2, 3}, {0, 1, 2, 3, 5, 7})});
  CheckOp({"Cumsum", {}, {I64({2}, {INT64_MAX, 1})}},
          {I64({2}, {INT64_MAX, INT64_MIN})});
  CheckOp({"Cumsum",
           {{"axis", int64_t{1}}, {"reverse", int64_t{1}}},
           {F32({2, 0}, {})}},
          {F32({2, 0}, {})});
  for (int64_t axis : {0, 1, -1}) {
    CheckOp({"Cumsum",
             {{"axis", axis}, {"reverse", int64_t{1}}},
             {RandomF32({9, 31, 20}, 1)}});
  }
  ExpectInferError({"Cumsum", {{"axis", int64_t{1}}}, {x}},
                   "axis 1 is out of range");
}

}  // namespace
}  // namespace mace::testing
