// Attributes of Expand.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_EXPAND_H_
#define MACE_OPS_EXPAND_H_

#include <cstdint>
#include <vector>

namespace mace {

// x [3,1] with the shape [2,1,4] makes y [2,3,4].
struct ExpandAttrs {
  std::vector<int64_t> shape;  // to broadcast with, if it is not an input

  template <typename V>
  void Fields(V& v) {
    v("shape", shape);
  }
};

}  // namespace mace

#endif  // MACE_OPS_EXPAND_H_
