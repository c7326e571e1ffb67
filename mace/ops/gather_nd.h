// Attributes of GatherNd.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_GATHER_ND_H_
#define MACE_OPS_GATHER_ND_H_

#include <cstdint>

namespace mace {

// The last axis of idx holds tuples of indices into the first axes of x after
// the batch: x [5,6,7] and idx [4,2] make y [4,7], y[i] =
// x[idx[i][0]][idx[i][1]].
struct GatherNdAttrs {
  int64_t batch_dims = 0;  // leading axes that x and idx share
  // Whether a negative index is out of range, as in TensorFlow. If not, it
  // counts from the end.
  bool from_start = false;

  template <typename V>
  void Fields(V& v) {
    v("batch_dims", batch_dims);
    v("from_start", from_start);
  }
};

}  // namespace mace

#endif  // MACE_OPS_GATHER_ND_H_
