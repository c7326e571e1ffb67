// Pad and SpaceToBatchNd of quantized tensors: what they fill with is a
// quantized value, too.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

// By definition, 0.25 is round(0.25 / 0.5) + zero point, and 0 the zero point.
template <typename T>
void CheckFill(DataType type, int32_t zero_point) {
  SCOPED_TRACE(zero_point);
  const auto tensor = [&](Shape shape, const std::vector<T>& values) {
    TestTensor made;
    made.type = {type, std::move(shape)};
    made.type.quantization = PerTensor(0.5f, zero_point);
    made.bytes.resize(values.size() * sizeof(T));
    std::memcpy(made.bytes.data(), values.data(), made.bytes.size());
    return made;
  };
  const auto zero = static_cast<T>(zero_point), half = static_cast<T>(zero + 1);
  const TestTensor x = tensor({1, 2, 1, 1}, {7, 9});
  CheckOp(
      {"Pad",
       {{"paddings", Ints{0, 0, 1, 1, 0, 0, 0, 0}}, {"constant_value", 0.25f}},
       {x}},
      {tensor({1, 4, 1, 1}, {half, 7, 9, half})});
  CheckOp({"SpaceToBatchNd",
           {{"block_shape", Ints{2}}, {"paddings", Ints{1, 1}}},
           {x}},
          {tensor({2, 2, 1, 1}, {zero, 9, 7, zero})});
}

TEST(QuantizedFill, HasAllBytesOfItsType) {
  for (const int32_t zero_point : {-128, -1, 0, 126}) {
    CheckFill<int8_t>(DataType::kI8, zero_point);
  }
  for (const int32_t zero_point : {0, 127, 128, 254}) {
    CheckFill<uint8_t>(DataType::kU8, zero_point);
  }
  for (const int32_t zero_point : {-32768, -300, -1, 0, 255, 256, 32766}) {
    CheckFill<int16_t>(DataType::kI16, zero_point);
  }
  for (const int32_t zero_point : {-2147483647 - 1, -70000, 3, (1 << 30) + 1}) {
    CheckFill<int32_t>(DataType::kI32, zero_point);
  }
}

}  // namespace
}  // namespace mace::testing
