// A node of TopK, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase TopK() { return {"TopK", {}, {X({3, 4}), Scalar(2)}, 2}; }

}  // namespace mace::samples
