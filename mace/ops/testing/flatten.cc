// A node of Flatten, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Flatten() { return {"Flatten", {{"axis", int64_t{1}}}, {X(Image())}}; }

}  // namespace mace::samples
