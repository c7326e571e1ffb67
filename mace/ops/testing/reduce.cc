// A node of Reduce, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Reduce() { return {"Reduce", {}, {X(Image()), Known({1, 2})}}; }

}  // namespace mace::samples
