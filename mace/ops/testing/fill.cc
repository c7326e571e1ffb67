// A node of Fill, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Fill() { return {"Fill", {}, {Known({2, 3})}}; }

}  // namespace mace::samples
