// Eltwise: meaning and kernels.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

// Values from numpy 1.26.
TEST(Eltwise, EveryTypeF32) {
  const auto a = F32({4}, {7, -7, 2, -0.5f});
  const auto b = F32({4}, {2, 2, -3, -2});
  const std::vector<std::pair<const char*, std::vector<float>>> cases = {
      {"SUM", {9, -5, -1, -2.5f}},   {"SUB", {5, -9, 5, 1.5f}},
      {"PROD", {14, -14, -6, 1}},    {"DIV", {3.5f, -3.5f, -2 / 3.f, 0.25f}},
      {"MIN", {2, -7, -3, -2}},      {"MAX", {7, 2, 2, -0.5f}},
      {"POW", {49, 49, 0.125f, 4}},  {"SQR_DIFF", {25, 81, 25, 2.25f}},
      {"FLOOR_DIV", {3, -4, -1, 0}}, {"MOD", {1, 1, -1, -0.5f}},
      {"FMOD", {1, -1, 2, -0.5f}}};
  for (const auto& [type, y] : cases) {
    SCOPED_TRACE(type);
    CheckOp({"Eltwise", {{"type", type}}, {a, b}}, {F32({4}, y)});
  }
}

TEST(Eltwise, EveryTypeIntegers) {
  const std::vector<int32_t> a = {7, -7, 7, -7, 5}, b = {2, 2, -2, -2, 0};
  const std::vector<std::pair<const char*, std::vector<int32_t>>> cases = {
      {"SUM", {9, -5, 5, -9, 5}},       {"SUB", {5, -9, 9, -5, 5}},
      {"PROD", {14, -14, -14, 14, 0}},  {"DIV", {3, -3, -3, 3, 0}},
      {"MIN", {2, -7, -2, -7, 0}},      {"MAX", {7, 2, 7, -2, 5}},
      {"POW", {49, 49, 0, 0, 1}},       {"SQR_DIFF", {25, 81, 81, 25, 25}},
      {"FLOOR_DIV", {3, -4, -4, 3, 0}}, {"MOD", {1, 1, -1, -1, 0}},
      {"FMOD", {1, -1, 1, -1, 0}}};
  const std::vector<int64_t> a64(a.begin(), a.end()), b64(b.begin(), b.end());
  for (const auto& [type, y] : cases) {
    SCOPED_TRACE(type);
    CheckOp({"Eltwise", {{"type", type}}, {I32({5}, a), I32({5}, b)}},
            {I32({5}, y)});
    CheckOp({"Eltwise", {{"type", type}}, {I64({5}, a64), I64({5}, b64)}},
            {I64({5}, {y.begin(), y.end()})});
  }
}

TEST(Eltwise, IntegersWrap) {
  const auto min = I32({1}, {INT32_MIN});
  CheckOp({"Eltwise", {{"type", "DIV"}}, {min, I32({1}, {-1})}},
          {I32({1}, {INT32_MIN})});
  CheckOp({"Eltwise", {{"type", "SUM"}}, {min, I32({1}, {-1})}},
          {I32({1}, {INT32_MAX})});
}

TEST(Eltwise, Broadcasts) {
  CheckOp({"Eltwise",
           {{"type", "SUB"}},
           {F32({2, 1, 2}, {1, 2, 3, 4}), F32({3, 1}, {10, 20, 30})}},
          {F32({2, 3, 2},
               {-9, -8, -19, -18, -29, -28, -7, -6, -17, -16, -27, -26})});
  CheckOp({"Eltwise",
           {{"type", "DIV"}, {"activation", "RELU"}},
           {F32({}, {6}), F32({3}, {1, -2, 3})}},
          {F32({3}, {6, 0, 2})});
  CheckOp({"Eltwise", {{"type", "SUM"}}, {F32({0, 2}, {}), F32({2}, {1, 2})}},
          {F32({0, 2}, {})});
}

TEST(Eltwise, Sizes) {
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {{2, 9, 9, 70}, {2, 9, 9, 70}},
      {{2, 9, 9, 70}, {70}},
      {{}, {5, 41}},
      {{5, 41}, {1}},
      {{1, 9, 9, 70}, {2, 1, 1, 70}},
      {{3, 1, 40}, {7, 1}},
      {{2, 3, 5, 1}, {2, 3, 5, 19}}};
  for (const char* type :
       {"SUM", "SUB", "PROD", "DIV", "MIN", "MAX", "SQR_DIFF"}) {
    for (const auto& [a, b] : shapes) {
      SCOPED_TRACE(type + ToString(a) + ToString(b));
      CheckOp({"Eltwise",
               {{"type", type}, {"activation", "RELUX"}, {"max_limit", 1.f}},
               {RandomF32(a, 1), RandomF32(b, 2, 0.5f, 2)}});
    }
  }
}

TEST(Eltwise, Errors) {
  const auto x = F32({2}, {1, 2});
  ExpectInferError({"Eltwise", {{"type", "ADD"}}, {x, x}},
                   "type 'ADD' must be one of SUM, SUB, PROD");
  ExpectInferError({"Eltwise", {{"type", "SUM"}}, {x, I32({2}, {1, 2})}},
                   "input 1 is i32[2], it must be f32 as input 0 f32[2]");
  ExpectInferError({"Eltwise", {{"type", "SUM"}}, {x, F32({3}, {1, 2, 3})}},
                   "shapes [2] and [3] do not broadcast together");
  ExpectInferError({"Eltwise",
                    {{"type", "SUM"}, {"activation", "RELU"}},
                    {I32({1}, {1}), I32({1}, {1})}},
                   "activation RELU needs floats");
}

}  // namespace
}  // namespace mace::testing
