// A node of LocalResponseNorm, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase LocalResponseNorm() { return {"LocalResponseNorm", {}, {X(Image())}}; }

}  // namespace mace::samples
