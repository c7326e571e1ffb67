// A node of Attention, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Attention() {
  return {"Attention",
          {},
          {X({1, 2, 3, 4}), X({1, 1, 5, 4}), X({1, 1, 5, 2}), X({3, 5}),
           I32({1}, {2}), X({2}), X({2})}};
}

}  // namespace mace::samples
