// Attributes of Hardmax.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_HARDMAX_H_
#define MACE_OPS_HARDMAX_H_

#include <cstdint>

namespace mace {

// 1 3 3 2 along the axis becomes 0 1 0 0.
struct HardmaxAttrs {
  int64_t axis = -1;  // in [-rank, rank)

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
  }
};

}  // namespace mace

#endif  // MACE_OPS_HARDMAX_H_
