// A node of SpaceToBatchNd, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase SpaceToBatchNd() {
  return {"SpaceToBatchNd",
          {{"block_shape", Ints{2, 2}}, {"paddings", Ints{0, 0, 0, 0}}},
          {X(Image())}};
}

}  // namespace mace::samples
