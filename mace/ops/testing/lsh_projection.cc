// A node of LshProjection, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase LshProjection() {
  return {"LshProjection",
          {},
          {X({3, 4}), I32({2, 3}, {1, -2, 3, 4, 5, 6}), W({3})}};
}

}  // namespace mace::samples
