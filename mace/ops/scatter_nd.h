// Attributes of ScatterNd.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_SCATTER_ND_H_
#define MACE_OPS_SCATTER_ND_H_

#include <string>

namespace mace {

struct ScatterNdAttrs {
  std::string reduction = "NONE";  // see common/scatter.h

  template <typename V>
  void Fields(V& v) {
    v("reduction", reduction);
  }
};

}  // namespace mace

#endif  // MACE_OPS_SCATTER_ND_H_
