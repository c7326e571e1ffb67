// A node of Cast, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Cast() { return {"Cast", {{"to", "i32"}}, {X(Image())}}; }

}  // namespace mace::samples
