// Attributes of Split.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_SPLIT_H_
#define MACE_OPS_SPLIT_H_

#include <cstdint>
#include <vector>

namespace mace {

// x [2,8] along axis 1 makes two outputs [2,4] and [2,4], or [2,3] and [2,5]
// with the sizes 3 and 5, or 3 and -1 (once: what is left).
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
