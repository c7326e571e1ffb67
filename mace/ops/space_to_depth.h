// Attributes of SpaceToDepth.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_SPACE_TO_DEPTH_H_
#define MACE_OPS_SPACE_TO_DEPTH_H_

#include <cstdint>

namespace mace {

// The inverse of DepthToSpace with mode DCR: channel (i * b + j) * C + c of a
// pixel of y is channel c of pixel (i, j) of its block, b = block_size.
struct SpaceToDepthAttrs {
  // Divides height and width of x.
  int64_t block_size = 1;

  template <typename V>
  void Fields(V& v) {
    v("block_size", block_size);
  }
};

}  // namespace mace

#endif  // MACE_OPS_SPACE_TO_DEPTH_H_
