// Attributes of Transpose.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_TRANSPOSE_H_
#define MACE_OPS_TRANSPOSE_H_

#include <cstdint>
#include <vector>

#include "mace/graph/node.h"

namespace mace {

struct TransposeAttrs {
  std::vector<int64_t> dims;  // axis d of y is axis dims[d] of x; []: reversed

  template <typename V>
  void Fields(V& v) {
    v("dims", dims);
  }
};

// Returns the axes of x in their new order, counted from 0. Errors:
// MACE_INVALID_MODEL.
Result<std::vector<int>> TransposeDims(const Node& node);

}  // namespace mace

#endif  // MACE_OPS_TRANSPOSE_H_
