// A node of MatMul, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase MatMul() { return {"MatMul", {}, {X({2, 3, 4}), X({2, 4, 5})}}; }

}  // namespace mace::samples
