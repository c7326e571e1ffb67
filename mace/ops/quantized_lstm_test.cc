// QuantizedLstm: meaning and kernels. Literal values are those of LiteRT 2.3's
// reference kernel; test/golden/integer_lstm_test.py has more.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstring>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

TestTensor Int8(Shape shape, const std::vector<int32_t>& quantized, float scale,
                int32_t zero) {
  return Quantized(DataType::kI8, std::move(shape), quantized, scale, zero);
}

TestTensor Cells(Shape shape, const std::vector<int16_t>& quantized,
                 float scale = 1.0f / 2048, int32_t zero = 0) {
  TestTensor cells;
  cells.type = {DataType::kI16, std::move(shape)};
  cells.type.quantization = PerTensor(scale, zero);
  cells.bytes.resize(quantized.size() * sizeof(int16_t));
  std::memcpy(cells.bytes.data(), quantized.data(), cells.bytes.size());
  return cells;
}

// One cell. Gates are i, o, f and g.
OpCase One(TestTensor x) {
  const auto cells = PerTensor(1.0f / 2048, 0), state = PerTensor(0.008f, -3);
  return {"QuantizedLstm",
          {},
          {std::move(x), Const(Int8({4, 1}, {50, 70, -30, 90}, 0.01f, 0)),
           Const(Int8({4, 1}, {20, 10, 60, -80}, 0.01f, 0)),
           Const(I32({4}, {100, 0, 5000, -200})),
           Int8({1, 1}, {-3}, 0.008f, -3), Cells({1, 1}, {0})},
          3,
          {state, state, cells}};
}

TEST(QuantizedLstm, ThreeSteps) {
  OpCase c = One(Int8({3, 1, 1}, {100, -100, 127}, 0.01f, 5));
  c.num_outputs = 1;
  c.output_quantization.resize(1);
  CheckOp(c, {Int8({3, 1, 1}, {30, -4, 38}, 0.008f, -3)}, 0);
  c.attrs["batch_major"] = int64_t{1};
  c.inputs[0] = Int8({1, 3, 1}, {100, -100, 127}, 0.01f, 5);
  CheckOp(c, {Int8({1, 3, 1}, {30, -4, 38}, 0.008f, -3)}, 0);
}

// The states after a step are those before the next one.
TEST(QuantizedLstm, StepByStep) {
  const std::vector<int32_t> xs = {100, -100, 127}, ys = {30, -4, 38};
  OpCase whole = One(Int8({3, 1, 1}, xs, 0.01f, 5));
  whole.attrs["cell_clip"] = 100.0f;  // beyond what 16 bits hold
  whole.num_outputs = 1;
  whole.output_quantization.resize(1);
  CheckOp(whole, {Int8({3, 1, 1}, ys, 0.008f, -3)}, 0);
  whole.attrs["cell_clip"] = 0.0f;
  whole.inputs[0] = Int8({0, 1, 1}, {}, 0.01f, 5);
  CheckOp(whole, {Int8({0, 1, 1}, {}, 0.008f, -3)}, 0);
}

TEST(QuantizedLstm, Errors) {
  const OpCase good = One(Int8({3, 1, 1}, {100, -100, 127}, 0.01f, 5));
  const auto with = [&](size_t i, TestTensor input) {
    OpCase c = good;
    c.inputs[i] = std::move(input);
    return c;
  };
  ExpectInferError(with(0, Int8({3, 1}, {1, 2, 3}, 0.01f, 5)), "[T,B,I]");
  ExpectInferError(with(1, Const(Int8({4, 2}, std::vector<int32_t>(8), 1, 0))),
                   "input 1");
  ExpectInferError(with(1, Int8({4, 1}, {1, 2, 3, 4}, 0.01f, 0)),
                   "input 1 is computed, it must be a constant");
  ExpectInferError(with(2, Const(Int8({4, 1}, {1, 2, 3, 4}, 0.01f, 7))),
                   "input 2 has the zero point 7, it must be 0");
  ExpectInferError(with(3, Const(I32({3}, {1, 2, 3}))), "it must be [4H]: [4]");
  ExpectInferError(with(4, Int8({2, 1}, {1, 2}, 0.008f, -3)),
                   "it must be [B,H]: [1,1]");
  ExpectInferError(with(4, Int8({1, 1}, {1}, 0.5f, 0)),
                   "the file says that output 0 is quantized as (scale 0.008, "
                   "zero point -3), it must be as input 4: (scale 0.5, zero "
                   "point 0)");
  for (const TestTensor& cells :
       {Cells({1, 1}, {0}, 0.0005f), Cells({1, 1}, {0}, 1.0f / 2048, 1),
        Cells({1, 1}, {0}, 1.0f / 256), Cells({1, 1}, {0}, 1.0f / 65536)}) {
    ExpectInferError(with(5, cells), "it must have a power of 2");
  }
  OpCase c = good;
  c.attrs["cell_clip"] = -1.0f;
  ExpectInferError(c, "cell_clip -1.000000 must be a number from 0 on");
}

}  // namespace
}  // namespace mace::testing
