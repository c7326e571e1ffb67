// Attributes of BatchToSpaceNd.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_BATCH_TO_SPACE_ND_H_
#define MACE_OPS_BATCH_TO_SPACE_ND_H_

#include <cstdint>
#include <vector>

namespace mace {

struct BatchToSpaceNdAttrs {
  std::vector<int64_t> block_shape;  // for axes 1, 2, ... of x
  std::vector<int64_t> crops;        // [before1, after1, before2, ...]

  template <typename V>
  void Fields(V& v) {
    v("block_shape", block_shape);
    v("crops", crops);
  }
};

}  // namespace mace

#endif  // MACE_OPS_BATCH_TO_SPACE_ND_H_
