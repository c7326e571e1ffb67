// A node of BatchNorm, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase BatchNorm() {
  return {"BatchNorm",
          {},
          {X(Image()), W({4}), W({4}), W({4}), Const(RandomF32({4}, 3, 1, 2))}};
}

}  // namespace mace::samples
