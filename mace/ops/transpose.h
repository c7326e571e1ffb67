// Attributes of Transpose.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_TRANSPOSE_H_
#define MACE_OPS_TRANSPOSE_H_

#include <cstdint>
#include <vector>

#include "mace/graph/node.h"

namespace mace {

// x [2,3,4] with the dims 2 0 1 becomes [4,2,3]; y[i][j][k] = x[j][k][i].
struct TransposeAttrs {
  std::vector<int64_t> dims;  // axis d of y is axis dims[d] of x; []: reversed

  template <typename V>
  void Fields(V& v) {
    v("dims", dims);
  }
};

// Returns the axes of x in their new order, counted from 0: a permutation.
// Errors: MACE_INVALID_MODEL if `dims` is no permutation.
Result<std::vector<int>> TransposeDims(const Node& node);

}  // namespace mace

#endif  // MACE_OPS_TRANSPOSE_H_
