// Attributes of Unique.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_UNIQUE_H_
#define MACE_OPS_UNIQUE_H_

namespace mace {

struct UniqueAttrs {
  bool sorted = true;  // else in the order in which they first appear

  template <typename V>
  void Fields(V& v) {
    v("sorted", sorted);
  }
};

}  // namespace mace

#endif  // MACE_OPS_UNIQUE_H_
