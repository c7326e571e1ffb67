// Attributes of OneHot.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_ONE_HOT_H_
#define MACE_OPS_ONE_HOT_H_

#include <cstdint>

namespace mace {

// idx [2,3] and depth 5 make y [2,3,5] (axis -1) or [5,2,3] (axis 0). Where an
// index is outside of [0, depth), all of the axis is off_value.
struct OneHotAttrs {
  int64_t depth = 0;  // if it is not an input
  int64_t axis = -1;  // position in y, in [-rank - 1, rank]
  float on_value = 1;
  float off_value = 0;

  template <typename V>
  void Fields(V& v) {
    v("depth", depth);
    v("axis", axis);
    v("on_value", on_value);
    v("off_value", off_value);
  }
};

}  // namespace mace

#endif  // MACE_OPS_ONE_HOT_H_
