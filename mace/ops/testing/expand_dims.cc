// A node of ExpandDims, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase ExpandDims() { return {"ExpandDims", {{"axis", Ints{0}}}, {X({3, 4})}}; }

}  // namespace mace::samples
