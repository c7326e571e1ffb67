// A node of Rnn, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Rnn() {
  return {"Rnn",
          {},
          {X({3, 2, 4}), W({1, 2, 4}), W({1, 2, 2}), W({1, 4}),
           I32({2}, {3, 2}), X({1, 2, 2})},
          2};
}

}  // namespace mace::samples
