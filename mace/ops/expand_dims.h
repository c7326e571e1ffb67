// Attributes of ExpandDims.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_EXPAND_DIMS_H_
#define MACE_OPS_EXPAND_DIMS_H_

#include <cstdint>
#include <vector>

namespace mace {

struct ExpandDimsAttrs {
  std::vector<int64_t> axis;  // positions of the new 1s in the result

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
  }
};

}  // namespace mace

#endif  // MACE_OPS_EXPAND_DIMS_H_
