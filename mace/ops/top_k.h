// Attributes of TopK.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_TOP_K_H_
#define MACE_OPS_TOP_K_H_

#include <cstdint>

namespace mace {

// 3 1 3 2 with k 2 has the values 3 3 and the indices 0 2: equal elements keep
// their order. A NaN counts as larger than any number.
struct TopKAttrs {
  int64_t k = 0;      // if it is not an input
  int64_t axis = -1;  // in [-rank, rank)
  bool largest = true;
  // Ignored: values are always in order, the best first.
  bool sorted = true;

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
