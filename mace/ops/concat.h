// Attributes of Concat.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_CONCAT_H_
#define MACE_OPS_CONCAT_H_

#include <cstdint>

namespace mace {

// x [2,3] and x [2,5] along axis 1 make y [2,8].
struct ConcatAttrs {
  int64_t axis = -1;  // in [-rank, rank)

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
  }
};

}  // namespace mace

#endif  // MACE_OPS_CONCAT_H_
