// A node of Expand, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Expand() { return {"Expand", {}, {X({1, 4}), Known({3, 4})}}; }

}  // namespace mace::samples
