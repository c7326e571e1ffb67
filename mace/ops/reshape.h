// Attributes of Reshape.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_RESHAPE_H_
#define MACE_OPS_RESHAPE_H_

#include <cstdint>
#include <vector>

namespace mace {

struct ReshapeAttrs {
  std::vector<int64_t> dim;  // the shape, if it is not an input
  bool allow_zero = false;   // 0 means 0, not "as in x"

  template <typename V>
  void Fields(V& v) {
    v("dim", dim);
    v("allow_zero", allow_zero);
  }
};

}  // namespace mace

#endif  // MACE_OPS_RESHAPE_H_
