// A node of Bitcast, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Bitcast() { return {"Bitcast", {{"to", "i32"}}, {X({3, 4})}}; }

}  // namespace mace::samples
