// Attributes of Flatten.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_FLATTEN_H_
#define MACE_OPS_FLATTEN_H_

#include <cstdint>

namespace mace {

// x [2,3,4] becomes [1,24], [2,12], [6,4] or [24,1] with axis 0, 1, 2 or 3.
struct FlattenAttrs {
  int64_t axis = 1;  // in [-rank, rank]

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
  }
};

}  // namespace mace

#endif  // MACE_OPS_FLATTEN_H_
