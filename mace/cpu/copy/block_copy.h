// The copies of SpaceToBatchNd and BatchToSpaceNd: one strided box for each
// position within a block.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COPY_BLOCK_COPY_H_
#define MACE_CPU_COPY_BLOCK_COPY_H_

#include <vector>

#include "mace/cpu/copy/copy_kernel.h"

namespace mace {

// Returns the boxes that move elements between `space`, [N, d1, d2, ..., rest],
// and `batch`, [B*N, d1', ..., rest], for blocks of B positions. At position b
// along axis d of a block, element i of `batch` along that axis is element i *
// block[d] + b - edges[2 * d] of `space`. `to_batch` gives the direction.
// Errors: MACE_UNSUPPORTED for blocks with more than 4096 positions.
Result<std::vector<CopyBox>> BlockBoxes(const Node& node,
                                        const TensorType& space,
                                        const TensorType& batch,
                                        const std::vector<int64_t>& block,
                                        const std::vector<int64_t>& edges,
                                        bool to_batch);

}  // namespace mace

#endif  // MACE_CPU_COPY_BLOCK_COPY_H_
