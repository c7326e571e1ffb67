// Attributes of Flatten.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_FLATTEN_H_
#define MACE_OPS_FLATTEN_H_

#include <cstdint>

namespace mace {

struct FlattenAttrs {
  int64_t axis = 1;  // in [-rank, rank]

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
  }
};

}  // namespace mace

#endif  // MACE_OPS_FLATTEN_H_
