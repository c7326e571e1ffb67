// A node of NonMaxSuppression, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase NonMaxSuppression() {
  return {"NonMaxSuppression", {}, {X({2, 3, 1, 4}), X({2, 3, 4})}, 4};
}

}  // namespace mace::samples
