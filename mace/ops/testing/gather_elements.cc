// A node of GatherElements, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase GatherElements() {
  return {"GatherElements", {}, {X({3, 4}), I32({1, 4}, {2, 0, 1, 1})}};
}

}  // namespace mace::samples
