// Ops that select elements by index: meaning and kernels. Literal values are
// those of NumPy 1.26 and TensorFlow 2.19 unless stated otherwise.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

// Returns 0, 1, 2, ...
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

TEST(Gather, OfQuantizedWeights) {
  for (const DataType stored : {DataType::kI8, DataType::kU8}) {
    for (const int64_t k : {1, 16, 33, 100}) {
      const TestTensor x = StoredAs(stored, RandomF32({9, 2, k}, 1));
      CheckOp({"Gather", {}, {x, I32({2, 2}, {0, -1, 8, 3})}}, 0);
      CheckOp({"Gather", {{"axis", int64_t{2}}}, {x, I64({1}, {-1})}}, 0);
    }
    const TestTensor x = StoredAs(stored, RandomF32({9, 5}, 1));
    CheckOp({"Gather", {}, {x, I32({0}, {})}});
    ExpectRunError({"Gather", {}, {x, I32({1}, {9})}}, "out of range");
  }
  CheckOp({"Gather",
           {},
           {StoredAs(DataType::kF16, RandomF32({9, 5}, 1)), I32({1}, {3})}},
          0);
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

TEST(Gather, RunErrors) {
  ExpectRunError({"Gather", {}, {Count({2, 3}), I32({2}, {1, 2})}},
                 "Gather 'test': index 2 is out of range for extent 2");
  ExpectRunError({"Gather", {}, {Count({2, 3}), I64({1}, {INT64_MIN})}},
                 "is out of range for extent 2");
}

// As TensorFlow and TensorFlow Lite have it.
TEST(Gather, FromStart) {
  const AttrMap attrs = {{"from_start", int64_t{1}}};
  CheckOp({"Gather", attrs, {Count({2, 2}), I32({2}, {1, 0})}},
          {F32({2, 2}, {2, 3, 0, 1})});
  ExpectRunError({"Gather", attrs, {Count({2, 3}), I32({2}, {1, -1})}},
                 "Gather 'test': index -1 is out of range for extent 2");
  ExpectRunError({"GatherNd", attrs, {Count({2, 3}), I64({1, 1}, {-2})}},
                 "GatherNd 'test': index -2 is out of range for extent 2");
}

TEST(GatherNd, Literal) {
  const TestTensor x = Count({2, 2, 2});
  CheckOp({"GatherNd", {}, {x, I64({2, 2}, {0, 1, 1, -2})}},
          {F32({2, 2}, {2, 3, 4, 5})});
  CheckOp({"GatherNd", {{"batch_dims", int64_t{1}}}, {x, I32({2, 1}, {1, 0})}},
          {F32({2, 2}, {2, 3, 4, 5})});
  CheckOp({"GatherNd", {}, {x, I32({2, 1, 3}, {0, 0, 1, 1, 1, 0})}},
          {F32({2, 1}, {1, 6})});
  // Empty tuples select all of x.
  CheckOp({"GatherNd", {}, {I64({2}, {7, 8}), I32({2, 0}, {})}},
          {I64({2, 2}, {7, 8, 7, 8})});
  CheckOp({"GatherNd", {}, {x, I32({0, 2}, {})}}, {F32({0, 2}, {})});
}

TEST(GatherNd, Errors) {
  ExpectInferError({"GatherNd", {}, {Count({2}), I32({1, 2}, {0, 0})}},
                   "idx i32[1,2] does not index the axes of x f32[2]");
  ExpectInferError({"GatherNd",
                    {{"batch_dims", int64_t{1}}},
                    {Count({2, 2}), I32({3, 1}, {0, 0, 0})}},
                   "after batch_dims 1");
  ExpectRunError({"GatherNd", {}, {Count({2, 2}), I32({1, 2}, {1, 2})}},
                 "index 2 is out of range for extent 2");
}

TEST(GatherElements, Literal) {
  const TestTensor x = F32({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  CheckOp({"GatherElements", {}, {x, I64({2, 3}, {1, 2, 0, 2, 0, -3})}},
          {F32({2, 3}, {4, 8, 3, 7, 2, 3})});
  CheckOp({"GatherElements",
           {{"axis", int64_t{1}}},
           {x, I32({2, 2}, {2, -1, 0, 1})}},
          {F32({2, 2}, {3, 3, 4, 5})});
  ExpectInferError({"GatherElements", {}, {x, I32({1, 4}, {0, 0, 0, 0})}},
                   "idx i32[1,4] may be larger than x f32[3,3] only along "
                   "axis 0");
  ExpectRunError({"GatherElements", {}, {x, I32({1, 1}, {3})}},
                 "index 3 is out of range for extent 3");
}

TEST(ScatterNd, Literal) {
  CheckOp({"ScatterNd",
           {},
           {Count({8}), I64({3, 1}, {4, 3, -1}), F32({3}, {9, 10, 11})}},
          {F32({8}, {0, 1, 2, 10, 9, 5, 6, 11})});
  CheckOp({"ScatterNd",
           {},
           {I32({3, 2}, {0, 0, 0, 0, 0, 0}), I32({2, 1}, {2, 0}),
            I32({2, 2}, {1, 2, 3, 4})}},
          {I32({3, 2}, {3, 4, 0, 0, 1, 2})});
  // Of equal indices the last one wins.
  CheckOp(
      {"ScatterNd", {}, {Count({2}), I32({2, 1}, {1, 1}), F32({2}, {5, 6})}},
      {F32({2}, {0, 6})});
}

TEST(ScatterNd, Errors) {
  const TestTensor x = Count({2});
  ExpectInferError({"ScatterNd", {}, {x, I32({2, 1}, {0, 1}), F32({1}, {5})}},
                   "updates are f32[1], they must be f32[2]");
  ExpectInferError({"ScatterNd", {}, {x, I32({1, 2}, {0, 1}), F32({1}, {5})}},
                   "does not index the axes of data f32[2]");
  ExpectInferError({"ScatterNd",
                    {{"reduction", std::string("ADD")}},
                    {x, I32({1, 1}, {0}), F32({1}, {5})}},
                   "reduction 'ADD' must be one of NONE");
  ExpectRunError({"ScatterNd", {}, {x, I32({1, 1}, {2}), F32({1}, {5})}},
                 "index 2 is out of range for extent 2");
}

TEST(OneHot, Literal) {
  CheckOp({"OneHot",
           {{"depth", int64_t{3}}, {"on_value", 5.0f}, {"off_value", -1.0f}},
           {I32({4}, {1, -1, 3, 0})}},
          {F32({4, 3}, {-1, 5, -1, -1, -1, -1, -1, -1, -1, 5, -1, -1})});
  CheckOp({"OneHot",
           {{"axis", int64_t{1}}},
           {I64({2, 1}, {1, 0}), Const(I32({}, {3}))}},
          {F32({2, 3, 1}, {0, 1, 0, 1, 0, 0})});
  CheckOp({"OneHot", {}, {I64({2}, {1, 0})}}, {F32({2, 0}, {})});
  ExpectInferError({"OneHot", {{"depth", int64_t{-1}}}, {I64({1}, {0})}},
                   "depth [-1] must be one number, 0 or larger");
}

// Values from onnxruntime 1.20.
TEST(ArgMax, Literal) {
  const TestTensor x = F32({2, 3}, {3, 1, 3, 2, 5, 5});
  CheckOp({"ArgMax", {{"keepdims", int64_t{0}}}, {x}}, {I64({3}, {0, 1, 1})});
  CheckOp({"ArgMax", {{"axis", int64_t{1}}}, {x}}, {I64({2, 1}, {0, 1})});
  CheckOp({"ArgMax", {{"axis", int64_t{-1}}, {"select_last", int64_t{1}}}, {x}},
          {I64({2, 1}, {2, 2})});
  CheckOp({"ArgMax",
           {{"axis", int64_t{1}},
            {"argmin", int64_t{1}},
            {"output_type", std::string("i32")}},
           {x}},
          {I32({2, 1}, {1, 0})});
  CheckOp({"ArgMax", {}, {I64({3}, {-4, 2, 1})}}, {I64({1}, {1})});
  CheckOp({"ArgMax", {}, {F32({3}, {1, NAN, 9})}}, {I64({1}, {1})});
  for (int64_t axis : {0, 1, 2}) {
    CheckOp({"ArgMax", {{"axis", axis}}, {RandomF32({13, 21, 17}, 3)}});
  }
}

TEST(ArgMax, Errors) {
  ExpectInferError({"ArgMax", {}, {F32({0, 2}, {})}},
                   "axis 0 of x f32[0,2] has no elements");
  ExpectInferError(
      {"ArgMax", {{"output_type", std::string("u8")}}, {Count({2})}},
      "output_type 'u8' must be one of i64, i32");
}

// Values from onnxruntime 1.20.
TEST(TopK, Literal) {
  const TestTensor x = F32({2, 4}, {3, 1, 4, 1, 5, 9, 2, 6});
  CheckOp({"TopK", {{"k", int64_t{2}}}, {x}, 2},
          {F32({2, 2}, {4, 3, 9, 6}), I64({2, 2}, {2, 0, 1, 3})});
  CheckOp({"TopK", {{"largest", int64_t{0}}}, {x, Const(I64({1}, {3}))}, 2},
          {F32({2, 3}, {1, 1, 3, 2, 5, 6}), I64({2, 3}, {1, 3, 0, 2, 0, 3})});
  CheckOp({"TopK", {{"k", int64_t{1}}, {"axis", int64_t{0}}}, {x}, 2},
          {F32({1, 4}, {5, 9, 4, 6}), I64({1, 4}, {1, 1, 0, 1})});
  CheckOp({"TopK", {{"k", int64_t{2}}}, {F32({3}, {1, NAN, 2})}, 2},
          {F32({2}, {NAN, 2}), I64({2}, {1, 2})});
  CheckOp({"TopK", {{"k", int64_t{2}}}, {I32({3}, {7, 9, 8})}, 1},
          {I32({2}, {9, 8})});
  ExpectInferError({"TopK", {{"k", int64_t{5}}}, {x}, 2},
                   "k [5] must be one number, at most the extent of axis 1");
}

// Values from onnxruntime 1.20.
TEST(ReverseSequence, Literal) {
  const TestTensor x = Count({3, 4});
  CheckOp({"ReverseSequence",
           {{"seq_axis", int64_t{1}}, {"batch_axis", int64_t{0}}},
           {x, I64({3}, {1, 3, 4})}},
          {F32({3, 4}, {0, 1, 2, 3, 6, 5, 4, 7, 11, 10, 9, 8})});
  CheckOp({"ReverseSequence", {}, {x, I32({4}, {3, 2, 0, 1})}},
          {F32({3, 4}, {8, 5, 2, 3, 4, 1, 6, 7, 0, 9, 10, 11})});
}

TEST(ReverseSequence, Errors) {
  const TestTensor x = Count({3, 4});
  ExpectInferError({"ReverseSequence", {}, {x, I32({3}, {1, 1, 1})}},
                   "input 1 is i32[3], it must have one length per batch: [4]");
  ExpectInferError({"ReverseSequence",
                    {{"batch_axis", int64_t{-2}}},
                    {x, I32({3}, {1, 1, 1})}},
                   "twice");
  ExpectRunError({"ReverseSequence", {}, {x, I32({4}, {1, 1, 4, 1})}},
                 "length 4 is out of range for extent 3");
}

// Values from onnxruntime 1.31.
TEST(Unique, SortedAndNot) {
  const TestTensor x = F32({6}, {2, 1, 1, 3, 4, 3});
  CheckOp({"Unique", {}, {x}, 4},
          {I64({6}, {1, 0, 3, 4, 0, 0}), I64({6}, {1, 0, 0, 2, 3, 2}),
           I64({6}, {2, 1, 2, 1, 0, 0}), I64({1}, {4})});
  CheckOp({"Unique", {{"sorted", false}}, {x}, 4},
          {I64({6}, {0, 1, 3, 4, 0, 0}), I64({6}, {0, 1, 1, 2, 3, 2}),
           I64({6}, {1, 2, 2, 1, 0, 0}), I64({1}, {4})});
}

// By the definition: rows are compared element by element, the first one first.
TEST(Unique, Rows) {
  CheckOp(
      {"Unique", {}, {I32({4, 2}, {1, 0, -1, 5, 1, 0, -1, 4})}, 3},
      {I64({4}, {3, 1, 0, 0}), I64({4}, {2, 1, 2, 0}), I64({4}, {1, 1, 2, 0})});
  CheckOp({"Unique", {}, {F32({3, 0}, {})}, 4},
          {I64({3}, {0, 0, 0}), I64({3}, {0, 0, 0}), I64({3}, {3, 0, 0}),
           I64({1}, {1})});
  CheckOp({"Unique", {}, {F32({0, 2}, {})}, 4},
          {I64({0}, {}), I64({0}, {}), I64({0}, {}), I64({1}, {0})});
}

TEST(Unique, NaNAndZeros) {
  CheckOp({"Unique", {}, {F32({5}, {NAN, -0.0f, INFINITY, 0, NAN})}, 4},
          {I64({5}, {1, 2, 0, 4, 0}), I64({5}, {2, 0, 1, 0, 3}),
           I64({5}, {2, 1, 1, 1, 0}), I64({1}, {4})});
}

TEST(Unique, Errors) {
  ExpectInferError({"Unique", {}, {F32({}, {1})}, 1}, "x is a scalar");
}

}  // namespace
}  // namespace mace::testing
