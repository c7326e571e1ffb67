// A node of Range, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Range() { return {"Range", {}, {Scalar(1), Scalar(7), Scalar(2)}}; }

}  // namespace mace::samples
