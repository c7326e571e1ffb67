// Attributes of Reverse.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_REVERSE_H_
#define MACE_OPS_REVERSE_H_

#include <cstdint>
#include <vector>

namespace mace {

struct ReverseAttrs {
  std::vector<int64_t> axis;  // each in [-rank, rank)

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
  }
};

}  // namespace mace

#endif  // MACE_OPS_REVERSE_H_
