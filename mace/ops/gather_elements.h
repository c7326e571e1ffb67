// Attributes of GatherElements.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_GATHER_ELEMENTS_H_
#define MACE_OPS_GATHER_ELEMENTS_H_

#include <cstdint>

namespace mace {

// Along axis 1, y[i][j] = x[i][idx[i][j]]. A negative index counts from the
// end.
struct GatherElementsAttrs {
  int64_t axis = 0;  // in [-rank, rank)

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
  }
};

}  // namespace mace

#endif  // MACE_OPS_GATHER_ELEMENTS_H_
