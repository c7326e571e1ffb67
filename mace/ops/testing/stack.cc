// A node of Stack, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Stack() { return {"Stack", {}, {X({3, 4}), X({3, 4}), X({3, 4})}}; }

}  // namespace mace::samples
