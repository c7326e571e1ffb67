// Attributes of BatchToSpaceNd.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_BATCH_TO_SPACE_ND_H_
#define MACE_OPS_BATCH_TO_SPACE_ND_H_

#include <cstdint>
#include <vector>

namespace mace {

// Batch (i * b2 + j) * N + n of x, for blocks (b1, b2) and N batches in y,
// becomes those pixels of batch n of y whose position before cropping is i
// modulo b1 and j modulo b2. For blocks (2, 2), no crops, N = 1 and a y of 2 x
// 4 pixels, the digit is the batch of x:
//
//  0 1 0 1
//  2 3 2 3
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
