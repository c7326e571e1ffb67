// A node of DepthwiseConv2d, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase DepthwiseConv2d() {
  return {"DepthwiseConv2d", {}, {X(Image()), W({1, 4, 3, 3}), W({4})}};
}

}  // namespace mace::samples
