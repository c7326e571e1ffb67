// A node of Select, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Select() {
  return {"Select",
          {},
          {Bool({4}, {0, 1, 1, 0}), RandomF32({4}, 1), RandomF32({4}, 2)}};
}

}  // namespace mace::samples
