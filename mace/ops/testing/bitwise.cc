// A node of Bitwise, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Bitwise() {
  return {"Bitwise", {{"type", "XOR"}}, {I32({3}, {1, 2, 3}), I32({}, {5})}};
}

}  // namespace mace::samples
