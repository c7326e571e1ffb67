// A node of Quantize, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Quantize() {
  return {"Quantize", {{"to", "u8"}}, {X({3, 4})}, 1, {PerTensor(0.01f, 128)}};
}

}  // namespace mace::samples
