// A node of NonZero, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase NonZero() { return {"NonZero", {}, {Bool({2, 2}, {0, 1, 1, 0})}, 2}; }

}  // namespace mace::samples
