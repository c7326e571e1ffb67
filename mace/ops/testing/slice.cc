// A node of Slice, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Slice() {
  return {
      "Slice",
      {},
      {X({3, 4}), Known({0, 1}), Known({2, 4}), Known({0, 1}), Known({1, 2})}};
}

}  // namespace mace::samples
