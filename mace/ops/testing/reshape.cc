// A node of Reshape, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Reshape() { return {"Reshape", {}, {X({3, 4}), Known({2, 6})}}; }

}  // namespace mace::samples
