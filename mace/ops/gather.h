// Attributes of Gather.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_GATHER_H_
#define MACE_OPS_GATHER_H_

#include <cstdint>

namespace mace {

// y[i][j][k] = x[i][idx[j]][k] for axis 1. x [2,5,3] and idx [4] make y
// [2,4,3]. With batch_dims 1, y[i][j][k] = x[i][idx[i][j]][k] for idx [2,4].
struct GatherAttrs {
  int64_t axis = 0;        // in [-rank, rank)
  int64_t batch_dims = 0;  // leading axes that x and idx share
  // Whether a negative index is out of range, as in TensorFlow. If not, it
  // counts from the end.
  bool from_start = false;

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
    v("batch_dims", batch_dims);
    v("from_start", from_start);
  }
};

}  // namespace mace

#endif  // MACE_OPS_GATHER_H_
