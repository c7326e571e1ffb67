// A node of QuantizedLstm, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include <cstring>
#include <utility>
#include <vector>

#include "mace/testing/sample_tensors.h"

namespace mace::samples {
namespace {

TestTensor Int8(Shape shape, const std::vector<int32_t>& quantized, float scale,
                int32_t zero) {
  return Quantized(DataType::kI8, std::move(shape), quantized, scale, zero);
}

// Int16, in units of 2^-11.
TestTensor Cells(Shape shape, const std::vector<int16_t>& quantized) {
  TestTensor cells;
  cells.type = {DataType::kI16, std::move(shape)};
  cells.type.quantization = PerTensor(1.0f / 2048, 0);
  cells.bytes.resize(quantized.size() * sizeof(int16_t));
  std::memcpy(cells.bytes.data(), quantized.data(), cells.bytes.size());
  return cells;
}

}  // namespace

OpCase QuantizedLstm() {
  return {"QuantizedLstm",
          {},
          {Int8({3, 2, 1}, {100, -100, -100, 127, 3, 90}, 0.01f, 5),
           Const(Int8({4, 1}, {50, 70, -30, 90}, 0.01f, 0)),
           Const(Int8({4, 1}, {20, 10, 60, -80}, 0.01f, 0)),
           Const(I32({4}, {100, 0, 5000, -200})),
           Int8({2, 1}, {-3, 20}, 0.008f, -3), Cells({2, 1}, {0, -900})},
          3,
          {PerTensor(0.008f, -3), PerTensor(0.008f, -3),
           PerTensor(1.0f / 2048, 0)}};
}

}  // namespace mace::samples
