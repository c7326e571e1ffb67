// A node of FullyConnected, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase FullyConnected() {
  return {"FullyConnected", {}, {X({2, 4}), W({3, 4}), W({3})}};
}

}  // namespace mace::samples
