// A node of Tile, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Tile() { return {"Tile", {}, {X({3, 4}), Known({2, 1})}}; }

}  // namespace mace::samples
