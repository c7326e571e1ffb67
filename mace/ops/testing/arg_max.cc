// A node of ArgMax, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase ArgMax() { return {"ArgMax", {{"axis", int64_t{-1}}}, {X(Image())}}; }

}  // namespace mace::samples
