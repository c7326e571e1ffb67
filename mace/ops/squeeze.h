// Attributes of Squeeze.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_SQUEEZE_H_
#define MACE_OPS_SQUEEZE_H_

#include <cstdint>
#include <vector>

namespace mace {

// x [1,3,1] becomes [3], and [3,1] with axis 0.
struct SqueezeAttrs {
  std::vector<int64_t> axis;  // []: all extents of 1

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
  }
};

}  // namespace mace

#endif  // MACE_OPS_SQUEEZE_H_
