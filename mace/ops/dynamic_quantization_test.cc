// FullyConnected with dynamic quantization, which only the CPU has.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mace/testing/check_op.h"
#include "mace/testing/check_paths.h"

namespace mace::testing {
namespace {

constexpr DataType kStored[] = {DataType::kI8, DataType::kU8,
                                DataType::kI8Blocks, DataType::kU4Blocks};

OpCase Dynamic(AttrMap attrs, std::vector<TestTensor> inputs) {
  attrs["dynamic"] = int64_t{1};
  return {"FullyConnected", std::move(attrs), std::move(inputs)};
}

// Rows as floats that have the values and the scale of their int8.
TestTensor Quantized(const TestTensor& x) {
  const int64_t k = x.type.shape[1];
  std::vector<float> values;
  for (int64_t i = 0; i < x.type.shape[0]; ++i) {
    const float* row = x.f32() + i * k;
    float largest = 0;
    for (int64_t e = 0; e < k; ++e) {
      largest = std::max(largest, std::fabs(row[e]));
    }
    for (int64_t e = 0; e < k; ++e) {
      values.push_back(largest >= 0x1p-119f
                           ? std::rint(row[e] * (127 / largest)) *
                                 (largest / 127)
                           : 0);
    }
  }
  return F32(x.type.shape, values);
}

// Expects what the float model computes of such rows, on every path that takes
// the weights as they are stored; the reference computes in float32.
void Check(const OpCase& c, float tolerance = 2e-5f) {
  OpCase floats = c;
  floats.inputs[0] = Quantized(c.inputs[0]);
  CheckPaths(c, RunOn(floats, {1, 0, true}), tolerance);
}

// 127, 51 (50.8) and 0 times 1 / 127, by weights of 1, -2 and 4.
TEST(DynamicQuantization, Literal) {
  const TestTensor x = F32({1, 3}, {1, 0.4f, 0.003f});
  const TestTensor w =
      StoredAs(DataType::kI8, F32({1, 3}, {1, -2, 4}));  // scale 4 / 127
  // As int8 they are 32, -64 (-63.5, away from zero) and 127.
  CheckPaths(Dynamic({}, {x, w}),
             {F32({1, 1}, {(32 - 64 * 51 / 127.0f) * 4 / 127})}, 1e-6f);
}

// Tiles and panels of each size, depths that end within a block.
TEST(DynamicQuantization, Sizes) {
  for (const DataType stored : kStored) {
    SCOPED_TRACE(Name(stored));
    for (const auto& [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                                  {1, 70, 64},
                                  {1, 300, 577},
                                  {2, 5, 31},
                                  {3, 33, 32},
                                  {4, 16, 33},
                                  {5, 17, 96},
                                  {14, 40, 65},
                                  {15, 31, 100},
                                  {61, 50, 257},
                                  {300, 20, 40}}) {
      SCOPED_TRACE(ToString(Shape{m, n, k}));
      const OpCase c = Dynamic(
          {}, {RandomF32({m, k}, 1), StoredAs(stored, RandomF32({n, k}, 2)),
               RandomF32({n}, 3)});
      Check(c);
    }
  }
}

TEST(DynamicQuantization, Activations) {
  for (const DataType stored : kStored) {
    const TestTensor w = StoredAs(stored, RandomF32({37, 64}, 2));
    for (const char* activation : {"RELU", "TANH", "SWISH"}) {
      for (const int64_t m : {1, 20}) {
        Check(Dynamic({{"activation", std::string(activation)}},
                      {RandomF32({m, 64}, 1), w}));
      }
    }
    Check(Dynamic({{"activation", std::string("RELUX")}, {"max_limit", 0.5f}},
                  {RandomF32({3, 64}, 1), w, RandomF32({37}, 3)}));
    CheckOp(Dynamic({}, {F32({0, 64}, {}), w}));
  }
}

// Rows of zeros, of one element that is not 0, and of numbers near the limits
// of floats; each row has a scale of its own.
TEST(DynamicQuantization, RowsOfAllMagnitudes) {
  for (const DataType stored : kStored) {
    std::vector<float> rows(6 * 40);
    rows[45] = -3e-38f;
    for (int64_t i = 0; i < 40; ++i) {
      rows[80 + i] = 3e38f / static_cast<float>(i + 1);
      rows[120 + i] = static_cast<float>(i - 20) * 1e-30f;
      rows[160 + i] = i == 3 ? 1000 : 0.5f;
      rows[200 + i] = -1;
    }
    const OpCase c =
        Dynamic({}, {F32({6, 40}, rows),
                     StoredAs(stored, RandomF32({3, 40}, 2, -1e-3f, 1e-3f))});
    Check(c);
  }
}

TEST(DynamicQuantization, RowsThatAreNotFiniteGiveNaN) {
  for (const DataType stored : kStored) {
    for (const float x : {INFINITY, -INFINITY, NAN}) {
      std::vector<float> rows(3 * 33, 1);
      rows[40] = x;
      const TestTensor w =
          StoredAs(stored, F32({2, 33}, std::vector<float>(2 * 33, 1)));
      const std::vector<float> want = {33, 33, NAN, NAN, 33, 33};
      CheckPaths(Dynamic({}, {F32({3, 33}, rows), w}), {F32({3, 2}, want)},
                 1e-3f);
    }
  }
}

// Where weights are floats, arithmetic is, too.
TEST(DynamicQuantization, FloatWeights) {
  const TestTensor x = RandomF32({3, 20}, 1), w = Const(RandomF32({4, 20}, 2));
  CheckOp(Dynamic({}, {x, w}));
}

}  // namespace
}  // namespace mace::testing
