// Attributes of SpaceToBatchNd.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_SPACE_TO_BATCH_ND_H_
#define MACE_OPS_SPACE_TO_BATCH_ND_H_

#include <cstdint>
#include <vector>

namespace mace {

// The inverse of BatchToSpaceNd, whose header draws where each pixel goes.
// Pixels of the padding are 0, or the zero point of quantized values.
struct SpaceToBatchNdAttrs {
  std::vector<int64_t> block_shape;  // for axes 1, 2, ... of x
  std::vector<int64_t> paddings;     // [before1, after1, before2, ...]

  template <typename V>
  void Fields(V& v) {
    v("block_shape", block_shape);
    v("paddings", paddings);
  }
};

}  // namespace mace

#endif  // MACE_OPS_SPACE_TO_BATCH_ND_H_
