// Attributes of TopK.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_TOP_K_H_
#define MACE_OPS_TOP_K_H_

#include <cstdint>

namespace mace {

struct TopKAttrs {
  int64_t k = 0;      // if it is not an input
  int64_t axis = -1;  // in [-rank, rank)
  bool largest = true;
  bool sorted = true;  // ignored: they always are

  template <typename V>
  void Fields(V& v) {
    v("k", k);
    v("axis", axis);
    v("largest", largest);
    v("sorted", sorted);
  }
};

}  // namespace mace

#endif  // MACE_OPS_TOP_K_H_
