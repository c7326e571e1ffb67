// A node of Gru, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Gru() {
  return {"Gru",
          {},
          {X({3, 2, 4}), W({1, 6, 4}), W({1, 6, 2}), W({1, 12}),
           I32({2}, {3, 2}), X({1, 2, 2})},
          2};
}

}  // namespace mace::samples
