// A node of Logical, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Logical() {
  return {"Logical", {}, {Bool({2}, {0, 1}), Bool({2}, {1, 1})}};
}

}  // namespace mace::samples
