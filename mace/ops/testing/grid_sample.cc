// A node of GridSample, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase GridSample() {
  return {"GridSample", {}, {X(Image()), X({1, 2, 2, 2}), I32({1}, {0})}};
}

}  // namespace mace::samples
