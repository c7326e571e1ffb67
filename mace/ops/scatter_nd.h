// Attributes of ScatterNd.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_SCATTER_ND_H_
#define MACE_OPS_SCATTER_ND_H_

#include <string>

namespace mace {

// y is data, but y[idx[i][0]][idx[i][1]] = updates[i] for idx [4,2] and data
// [5,6,7], updates [4,7], or what `reduction` makes of both. A negative index
// counts from the end.
struct ScatterNdAttrs {
  std::string reduction = "NONE";  // see common/scatter.h

  template <typename V>
  void Fields(V& v) {
    v("reduction", reduction);
  }
};

}  // namespace mace

#endif  // MACE_OPS_SCATTER_ND_H_
