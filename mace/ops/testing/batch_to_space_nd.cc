// A node of BatchToSpaceNd, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase BatchToSpaceNd() {
  return {"BatchToSpaceNd",
          {{"block_shape", Ints{2, 2}}, {"crops", Ints{0, 0, 0, 0}}},
          {X({4, 2, 2, 3})}};
}

}  // namespace mace::samples
