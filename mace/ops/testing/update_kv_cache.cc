// A node of UpdateKvCache, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase UpdateKvCache() {
  return {
      "UpdateKvCache", {}, {X({1, 2, 5, 4}), X({1, 2, 3, 4}), I32({1}, {2})}};
}

}  // namespace mace::samples
