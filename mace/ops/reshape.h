// Attributes of Reshape.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_RESHAPE_H_
#define MACE_OPS_RESHAPE_H_

#include <cstdint>
#include <vector>

namespace mace {

// x [2,3,4] with dim [0,-1] becomes [2,12]: 0 is the size in x, and one -1 is
// what is left.
struct ReshapeAttrs {
  std::vector<int64_t> dim;  // the shape, if it is not an input
  // True: 0 is the size 0, and must not be beside a -1. False: 0 is the size of
  // x on this axis.
  bool allow_zero = false;

  template <typename V>
  void Fields(V& v) {
    v("dim", dim);
    v("allow_zero", allow_zero);
  }
};

}  // namespace mace

#endif  // MACE_OPS_RESHAPE_H_
