// Attributes of Unstack.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_UNSTACK_H_
#define MACE_OPS_UNSTACK_H_

#include <cstdint>

namespace mace {

// x [4,3,5] along axis 1 makes three outputs [4,5].
struct UnstackAttrs {
  int64_t axis = 0;  // in [-rank, rank)

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
  }
};

}  // namespace mace

#endif  // MACE_OPS_UNSTACK_H_
