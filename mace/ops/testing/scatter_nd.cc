// A node of ScatterNd, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase ScatterNd() {
  return {"ScatterNd", {}, {X({3, 4}), I32({1, 1}, {2}), X({1, 4})}};
}

}  // namespace mace::samples
