// A node of Lstm, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Lstm() {
  return {"Lstm",
          {},
          {X({3, 2, 4}), W({1, 8, 4}), W({1, 8, 2}), W({1, 16}),
           I32({2}, {3, 2}), X({1, 2, 2}), X({1, 2, 2}), W({1, 6}),
           W({1, 2, 2}), W({1, 2}), W({1, 8})},
          3};
}

}  // namespace mace::samples
