// Attributes of ExpandDims.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_EXPAND_DIMS_H_
#define MACE_OPS_EXPAND_DIMS_H_

#include <cstdint>
#include <vector>

namespace mace {

// x [3,4] with the axes 0 and -1 makes y [1,3,4,1].
struct ExpandDimsAttrs {
  // Positions of the new 1s in y, in any order, each in [-rank(y), rank(y)),
  // none twice.
  std::vector<int64_t> axis;

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
  }
};

}  // namespace mace

#endif  // MACE_OPS_EXPAND_DIMS_H_
