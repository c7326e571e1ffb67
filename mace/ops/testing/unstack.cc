// A node of Unstack, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Unstack() { return {"Unstack", {}, {X({2, 3})}, 2}; }

}  // namespace mace::samples
