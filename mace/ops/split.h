// Attributes of Split.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_SPLIT_H_
#define MACE_OPS_SPLIT_H_

#include <cstdint>
#include <vector>

namespace mace {

struct SplitAttrs {
  int64_t axis = 0;            // in [-rank, rank)
  std::vector<int64_t> sizes;  // []: equal parts

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
    v("sizes", sizes);
  }
};

}  // namespace mace

#endif  // MACE_OPS_SPLIT_H_
