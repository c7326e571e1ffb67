// Attributes of Unique.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_UNIQUE_H_
#define MACE_OPS_UNIQUE_H_

namespace mace {

// 3 1 3 2 has the different slices 1 2 3 if they are sorted, else 3 1 2. Slices
// with several elements are sorted by the first one that differs. NaN equals
// nothing, and is sorted behind all numbers.
struct UniqueAttrs {
  bool sorted = true;  // else in the order in which they first appear

  template <typename V>
  void Fields(V& v) {
    v("sorted", sorted);
  }
};

}  // namespace mace

#endif  // MACE_OPS_UNIQUE_H_
