// A node of LayerNorm, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase LayerNorm() { return {"LayerNorm", {}, {X({3, 4}), W({4}), W({4})}}; }

}  // namespace mace::samples
