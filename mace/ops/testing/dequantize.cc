// A node of Dequantize, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Dequantize() {
  return {"Dequantize",
          {},
          {Quantized(DataType::kI8, {3}, {-128, 0, 127}, 0.5f, 3)}};
}

}  // namespace mace::samples
