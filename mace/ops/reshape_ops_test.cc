// Ops that keep the bytes, and Shape: meaning and kernels.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

// Checks the shape of a view of x.
void ExpectView(const std::string& op, const AttrMap& attrs, const Shape& x,
                const Shape& y) {
  SCOPED_TRACE(op + " " + ToString(x));
  TestTensor out = RandomF32(x, 7);
  const OpCase c = {op, attrs, {out}};
  out.type.shape = y;
  CheckOp(c, {out}, 0);
}

TEST(Reshape, Attribute) {
  ExpectView("Reshape", {{"dim", Ints{4, 3}}}, {2, 6}, {4, 3});
  ExpectView("Reshape", {{"dim", Ints{0, -1}}}, {2, 3, 2}, {2, 6});
  ExpectView("Reshape", {{"dim", Ints{-1}}}, {2, 3, 2}, {12});
  ExpectView("Reshape", {{"dim", Ints{}}}, {1, 1}, {});
  ExpectView("Reshape", {{"dim", Ints{1, 1}}}, {}, {1, 1});
  ExpectView("Reshape", {{"dim", Ints{0, 3}}}, {0, 3}, {0, 3});
  ExpectView("Reshape", {{"dim", Ints{3, 0}}, {"allow_zero", int64_t{1}}},
             {0, 2}, {3, 0});
}

TEST(Reshape, InputWins) {
  const TestTensor x = I32({2, 3}, {1, 2, 3, 4, 5, 6});
  CheckOp({"Reshape", {}, {x, Const(I64({2}, {3, -1}))}},
          {I32({3, 2}, {1, 2, 3, 4, 5, 6})});
  CheckOp({"Reshape", {{"dim", Ints{9}}}, {x, Const(I32({1}, {6}))}},
          {I32({6}, {1, 2, 3, 4, 5, 6})});
  // The empty shape has no contents that could be unknown.
  CheckOp({"Reshape", {}, {I32({1}, {5}), I64({0}, {})}}, {I32({}, {5})});
}

TEST(Reshape, ManyDimensionsAreRefused) {
  const TestTensor x = F32({1}, {1});
  ExpectInferError({"Reshape", {{"dim", Ints(65, 1)}}, {x}},
                   "Reshape 'test': an output has 65 dimensions, more than 64");
  Ints axes(1000000);
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
  ExpectInferError({"ExpandDims", {{"axis", axes}}, {x}},
                   "there are 1000000 axes, more than 64");
}

TEST(Reshape, Errors) {
  const TestTensor x = F32({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto with = [&x](Ints dim) {
    return OpCase{"Reshape", {{"dim", std::move(dim)}}, {x}};
  };
  ExpectInferError(with({4, 2}),
                   "Reshape 'test': shape [4,2] does not hold the 6 elements "
                   "of x f32[2,3]");
  ExpectInferError(with({-1, 4}), "shape [-1,4] does not hold");
  ExpectInferError(with({-1, 0, 0, 0}), "takes extent 2 from x f32[2,3]");
  ExpectInferError(with({-1, -1}), "may hold one -1");
  ExpectInferError(with({-2, 3}), "no other negative");
  ExpectInferError(with({int64_t{1} << 40, int64_t{1} << 40}),
                   "does not hold the 6 elements");
  ExpectInferError({"Reshape", {}, {x, I64({1}, {6})}},
                   "shape (input 1, i64[1]) must be known before the model "
                   "runs");
  ExpectInferError({"Reshape", {}, {x, Const(F32({1}, {6}))}},
                   "input 1 is f32[1], it must be i32, i64");
}

TEST(Squeeze, AllAndSome) {
  ExpectView("Squeeze", {}, {1, 3, 1, 2}, {3, 2});
  ExpectView("Squeeze", {{"axis", Ints{0}}}, {1, 3, 1, 2}, {3, 1, 2});
  ExpectView("Squeeze", {{"axis", Ints{-2, 0}}}, {1, 3, 1, 2}, {3, 2});
  ExpectInferError({"Squeeze", {{"axis", Ints{1}}}, {RandomF32({1, 3}, 1)}},
                   "axis 1 of x f32[1,3] must have extent 1");
  ExpectInferError({"Squeeze", {{"axis", Ints{2}}}, {RandomF32({1, 3}, 1)}},
                   "axis 2 is out of range for rank 2");
}

TEST(ExpandDims, Positions) {
  ExpectView("ExpandDims", {{"axis", Ints{0}}}, {3}, {1, 3});
  ExpectView("ExpandDims", {{"axis", Ints{-1}}}, {3}, {3, 1});
  ExpectView("ExpandDims", {{"axis", Ints{3, 0}}}, {2, 3}, {1, 2, 3, 1});
  ExpectInferError({"ExpandDims", {{"axis", Ints{0, -3}}}, {RandomF32({2}, 1)}},
                   "axes [0,-3] name axis 0 twice");
}

TEST(Flatten, Axis) {
  ExpectView("Flatten", {}, {2, 3, 4}, {2, 12});
  ExpectView("Flatten", {{"axis", int64_t{0}}}, {2, 3}, {1, 6});
  ExpectView("Flatten", {{"axis", int64_t{-1}}}, {2, 3, 4}, {6, 4});
  ExpectView("Flatten", {{"axis", int64_t{2}}}, {2, 3}, {6, 1});
  ExpectView("Flatten", {{"axis", int64_t{0}}}, {}, {1, 1});
  ExpectInferError({"Flatten", {{"axis", int64_t{3}}}, {RandomF32({2}, 1)}},
                   "axis 3 is out of range");
}

TEST(Identity, EveryType) {
  ExpectView("Identity", {}, {3, 2}, {3, 2});
  CheckOp({"Identity", {}, {Bool({2}, {1, 0})}}, {Bool({2}, {1, 0})});
  CheckOp({"Identity", {}, {I64({1}, {-5})}}, {I64({1}, {-5})});
}

TEST(Shape, WholeAndPart) {
  const TestTensor x = RandomF32({2, 3, 4}, 1);
  CheckOp({"Shape", {}, {x}}, {I64({3}, {2, 3, 4})});
  CheckOp({"Shape", {{"output_type", std::string("i32")}}, {x}},
          {I32({3}, {2, 3, 4})});
  // shape[1:], shape[-2:-1] and shape[2:1] in Python.
  CheckOp({"Shape", {{"start", int64_t{1}}}, {x}}, {I64({2}, {3, 4})});
  CheckOp({"Shape", {{"start", int64_t{-2}}, {"end", int64_t{-1}}}, {x}},
          {I64({1}, {3})});
  CheckOp({"Shape", {{"start", int64_t{2}}, {"end", int64_t{1}}}, {x}},
          {I64({0}, {})});
  ExpectInferError({"Shape", {{"output_type", std::string("f32")}}, {x}},
                   "output_type 'f32' must be one of i64, i32");
}

}  // namespace
}  // namespace mace::testing
