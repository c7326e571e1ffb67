// A node of BiasAdd, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase BiasAdd() { return {"BiasAdd", {}, {X(Image()), W({4})}}; }

}  // namespace mace::samples
