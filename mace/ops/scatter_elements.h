// Attributes of ScatterElements.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_SCATTER_ELEMENTS_H_
#define MACE_OPS_SCATTER_ELEMENTS_H_

#include <cstdint>
#include <string>

namespace mace {

// y is data, but y[i][idx[i][j]] = updates[i][j] along axis 1, or what
// `reduction` makes of both. A negative index counts from the end.
struct ScatterElementsAttrs {
  int64_t axis = 0;                // in [-rank, rank)
  std::string reduction = "NONE";  // see common/scatter.h

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
    v("reduction", reduction);
  }
};

}  // namespace mace

#endif  // MACE_OPS_SCATTER_ELEMENTS_H_
