// A node of Deconv2d, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Deconv2d() {
  return {"Deconv2d",
          {{"strides", Ints{2, 2}}},
          {X(Image()), W({4, 4, 2, 2}), W({4}), Known({1, 8, 8, 4})}};
}

}  // namespace mace::samples
