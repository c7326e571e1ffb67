// Attributes of Stack.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_STACK_H_
#define MACE_OPS_STACK_H_

#include <cstdint>

namespace mace {

// Three inputs [4,5] make y [4,3,5] with axis 1.
struct StackAttrs {
  int64_t axis = 0;  // position in y, in [-rank - 1, rank]

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
  }
};

}  // namespace mace

#endif  // MACE_OPS_STACK_H_
