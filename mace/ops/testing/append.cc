// A node of Append, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Append() {
  return {"Append",
          {{"axis", int64_t{1}}},
          {X({2, 4, 3}), X({2, 1, 3}), X({2, 2, 3})},
          3};
}

}  // namespace mace::samples
