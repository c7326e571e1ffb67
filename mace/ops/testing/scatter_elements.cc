// A node of ScatterElements, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase ScatterElements() {
  return {
      "ScatterElements", {}, {X({3, 4}), I32({1, 4}, {2, 0, 1, 1}), X({1, 4})}};
}

}  // namespace mace::samples
