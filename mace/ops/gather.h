// Attributes of Gather.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_GATHER_H_
#define MACE_OPS_GATHER_H_

#include <cstdint>

namespace mace {

struct GatherAttrs {
  int64_t axis = 0;         // in [-rank, rank)
  int64_t batch_dims = 0;   // leading axes that x and idx share
  bool from_start = false;  // no index counts from the end

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
    v("batch_dims", batch_dims);
    v("from_start", from_start);
  }
};

}  // namespace mace

#endif  // MACE_OPS_GATHER_H_
