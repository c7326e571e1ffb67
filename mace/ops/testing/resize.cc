// A node of Resize, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Resize() { return {"Resize", {}, {X(Image()), Known({8, 8})}}; }

}  // namespace mace::samples
