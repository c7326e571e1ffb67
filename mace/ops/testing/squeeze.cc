// A node of Squeeze, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Squeeze() { return {"Squeeze", {}, {X({1, 3, 1})}}; }

}  // namespace mace::samples
