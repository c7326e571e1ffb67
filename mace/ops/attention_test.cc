// Attention: meaning and kernels. Literal values are those of NumPy 1.26.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

TestTensor R(Shape shape, uint32_t seed) {
  return RandomF32(std::move(shape), seed);
}

// Two keys with the scores 0 and log 3 weigh 1/4 and 3/4.
TestTensor Query() { return F32({1, 1, 1, 1}, {std::log(3.0f)}); }
TestTensor Keys() { return F32({1, 1, 2, 1}, {0, 1}); }
TestTensor Values() { return F32({1, 1, 2, 2}, {0, 4, 8, 12}); }

TEST(Attention, Literal) {
  CheckOp({"Attention", {}, {Query(), Keys(), Values()}},
          {F32({1, 1, 1, 2}, {6, 10})});
  CheckOp({"Attention",
           {},
           {Query(), Keys(), Values(), F32({2}, {std::log(3.0f), 0})}},
          {F32({1, 1, 1, 2}, {4, 8})});
  CheckOp({"Attention", {}, {Query(), Keys(), Values(), Bool({2}, {1, 0})}},
          {F32({1, 1, 1, 2}, {0, 4})});
  CheckOp({"Attention",
           {{"right_window", int64_t{0}}},
           {Query(), Keys(), Values()}},
          {F32({1, 1, 1, 2}, {0, 4})});
  CheckOp({"Attention",
           {{"left_window", int64_t{0}}, {"at_end", int64_t{1}}},
           {Query(), Keys(), Values()}},
          {F32({1, 1, 1, 2}, {8, 12})});
}

TEST(Attention, NoKeys) {
  CheckOp({"Attention", {}, {Query(), Keys(), Values(), Bool({2}, {0, 0})}},
          {F32({1, 1, 1, 2}, {0, 0})});
  CheckOp({"Attention",
           {},
           {Query(), Keys(), Values(), F32({2}, {-INFINITY, -INFINITY})}},
          {F32({1, 1, 1, 2}, {0, 0})});
  CheckOp({"Attention",
           {},
           {R({1, 2, 3, 4}, 1), F32({1, 1, 0, 4}, {}), F32({1, 1, 0, 2}, {})}},
          {F32({1, 2, 3, 2}, std::vector<float>(12, 0.0f))});
  CheckOp(
      {"Attention",
       {},
       {F32({0, 2, 3, 4}, {}), F32({0, 1, 2, 4}, {}), F32({0, 1, 2, 2}, {})}},
      {F32({0, 2, 3, 2}, {})});
}

// Rows of k and v behind those that count are not read.
TEST(Attention, TheFirstKeysOnly) {
  const TestTensor k = F32({1, 1, 4, 1}, {0, 1, NAN, INFINITY});
  const TestTensor v = F32({1, 1, 3, 2}, {0, 4, 8, 12, NAN, NAN});
  CheckOp({"Attention", {{"keys", int64_t{2}}}, {Query(), k, v}},
          {F32({1, 1, 1, 2}, {6, 10})});
  CheckOp({"Attention",
           {{"keys", int64_t{2}},
            {"at_end", int64_t{1}},
            {"left_window", int64_t{0}},
            {"right_window", int64_t{0}}},
           {Query(), k, v, F32({2}, {0, 0})}},
          {F32({1, 1, 1, 2}, {8, 12})});
  CheckOp({"Attention", {{"keys", int64_t{0}}}, {Query(), k, v}},
          {F32({1, 1, 1, 2}, {0, 0})});
  for (const int64_t keys : {-2, 4}) {
    ExpectInferError({"Attention", {{"keys", keys}}, {Query(), k, v}},
                     "must be -1, or at most the rows of k f32[1,1,4,1] and v "
                     "f32[1,1,3,2]");
  }
  // Heads are apart by the rows that there are.
  for (const bool split : {true, false}) {
    const AttrMap attrs = split ? AttrMap{{"keys", int64_t{200}}}
                                : AttrMap{{"keys", int64_t{200}},
                                          {"heads", int64_t{4}},
                                          {"kv_heads", int64_t{2}}};
    const auto of = [&](int64_t heads, int64_t rows, int64_t depth) {
      return split ? Shape{2, heads, rows, depth}
                   : Shape{2, rows, heads * depth};
    };
    CheckOp({"Attention",
             attrs,
             {R(of(4, 3, 8), 1), R(of(2, 256, 8), 2), R(of(2, 300, 6), 3),
              R({3, 200}, 4)}});
  }
}

// Several tiles of keys and blocks of queries, shared heads, both layouts.
TEST(Attention, Paths) {
  for (const int64_t rows : {1, 7, 60}) {
    for (const int64_t keys : {5, 200, 450}) {
      CheckOp({"Attention",
               {{"heads", int64_t{4}},
                {"kv_heads", int64_t{2}},
                {"right_window", int64_t{3}},
                {"at_end", int64_t{1}}},
               {R({2, rows, 32}, 1), R({2, keys, 16}, 2), R({2, keys, 12}, 3)}},
              1e-4f);
    }
  }
  CheckOp({"Attention",
           {{"left_window", int64_t{9}}, {"softcap", 0.5f}, {"scale", 2.0f}},
           {R({1, 3, 70, 8}, 1), R({1, 3, 210, 8}, 2), R({1, 3, 210, 33}, 3),
            R({3, 1, 210}, 4)}},
          1e-4f);
}

// Small cases of every arrangement: heads as an axis or not, depths that are
// and are not whole blocks of the GPU, results of several parts, masks of each
// rank, known before and computed.
TEST(Attention, Arrangements) {
  for (const int64_t depth : {3, 4}) {
    for (const int64_t values : {2, 8, 70}) {
      CheckOp({"Attention",
               {{"left_window", int64_t{1}}},
               {R({1, 2, 3, depth}, 1), R({1, 1, 5, depth}, 2),
                R({1, 1, 5, values}, 3)}});
    }
  }
  for (const int64_t heads : {1, 2}) {
    CheckOp({"Attention",
             {{"heads", heads}},
             {R({2, 3, 8}, 1), R({2, 5, 8}, 2), R({2, 5, 8 * heads}, 3)}});
  }
  const TestTensor q = R({2, 2, 3, 4}, 1), k = R({2, 2, 5, 4}, 2);
  const TestTensor v = R({2, 2, 5, 4}, 3);
  for (const Shape& shape :
       {Shape{5}, {3, 5}, {3, 1}, {2, 3, 5}, {2, 1, 1, 5}, {2, 2, 3, 5}}) {
    SCOPED_TRACE(ToString(shape));
    for (const bool known : {false, true}) {
      const TestTensor mask = R(shape, 4);
      CheckOp({"Attention", {}, {q, k, v, known ? Const(mask) : mask}});
      std::vector<uint8_t> keeps;
      for (int64_t i = 0; i < NumElements(shape); ++i) {
        keeps.push_back(mask.f32()[i] > 0);
      }
      const TestTensor bools = Bool(shape, keeps);
      CheckOp({"Attention", {}, {q, k, v, known ? Const(bools) : bools}});
    }
  }
  CheckOp({"Attention", {}, {q, Const(k), Const(v)}});
}

// Scores far beyond what exp holds.
TEST(Attention, LargeScores) {
  CheckOp({"Attention",
           {{"scale", 1000.0f}},
           {R({1, 1, 4, 8}, 1), R({1, 1, 300, 8}, 2), R({1, 1, 300, 4}, 3)}},
          1e-3f);
}

TEST(Attention, Errors) {
  const TestTensor q = R({1, 2, 3, 4}, 1), k = R({1, 1, 5, 4}, 2);
  const TestTensor v = R({1, 1, 5, 2}, 3);
  const auto fails = [&](const AttrMap& attrs, const char* text) {
    ExpectInferError({"Attention", attrs, {q, k, v}}, text);
  };
  fails({{"heads", int64_t{3}}}, "it must have 3 heads");
  fails({{"heads", int64_t{-1}}}, "must not be negative");
  fails({{"left_window", int64_t{-2}}}, "the latter not below -1");
  fails({{"scale", NAN}}, "must be finite");
  fails({{"softcap", -1.0f}}, "must be finite");
  ExpectInferError({"Attention", {}, {q, k, R({1, 1, 4, 2}, 3)}},
                   "do not fit together");
  ExpectInferError({"Attention", {}, {R({1, 3, 4}, 1), k, v}},
                   "it must have 0 heads");
  ExpectInferError(
      {"Attention", {{"heads", int64_t{3}}}, {R({1, 3, 4}, 1), k, v}},
      "it must have 3 heads");
  ExpectInferError(
      {"Attention", {}, {q, R({1, 0, 5, 4}, 2), R({1, 0, 5, 2}, 3)}},
      "do not fit together");
  ExpectInferError({"Attention", {}, {q, k, v, R({4}, 4)}},
                   "mask f32[4] does not broadcast to");
  ExpectInferError({"Attention", {}, {q, k, v, I32({5}, {1, 1, 1, 1, 1})}},
                   "input 3");
}

}  // namespace
}  // namespace mace::testing
