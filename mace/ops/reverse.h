// Attributes of Reverse.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_REVERSE_H_
#define MACE_OPS_REVERSE_H_

#include <cstdint>
#include <vector>

namespace mace {

struct ReverseAttrs {
  // Each in [-rank, rank), none twice. 1 2 3 becomes 3 2 1 along each of them.
  std::vector<int64_t> axis;

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
  }
};

}  // namespace mace

#endif  // MACE_OPS_REVERSE_H_
