// A node of Unique, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Unique() { return {"Unique", {}, {I32({3}, {2, 1, 2})}, 4}; }

}  // namespace mace::samples
