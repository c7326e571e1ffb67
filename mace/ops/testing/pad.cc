// A node of Pad, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Pad() { return {"Pad", {}, {X({3, 4}), Known({1, 1, 0, 2})}}; }

}  // namespace mace::samples
