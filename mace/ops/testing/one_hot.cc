// A node of OneHot, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase OneHot() { return {"OneHot", {}, {I32({3}, {0, 2, 1}), Scalar(3)}}; }

}  // namespace mace::samples
