// A node of Gather, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Gather() { return {"Gather", {}, {X({3, 4}), I32({2}, {2, 0})}}; }

}  // namespace mace::samples
