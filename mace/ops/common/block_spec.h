// Checks that BatchToSpaceNd and SpaceToBatchNd share.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_BLOCK_SPEC_H_
#define MACE_OPS_COMMON_BLOCK_SPEC_H_

#include <vector>

#include "mace/graph/node.h"

namespace mace {

// Checks that there are one block size (1 or larger) and two edges (from 0 to
// 2^58) for each of the axes 1, 2, ... of input 0, and at least one. `edges`
// has [before1, after1, before2, ...] and the name `edges_name` in messages.
// Returns the product of the blocks. Errors: MACE_INVALID_MODEL.
Result<int64_t> CheckBlocks(const Node& node, const std::vector<int64_t>& block,
                            const std::vector<int64_t>& edges,
                            const char* edges_name);

}  // namespace mace

#endif  // MACE_OPS_COMMON_BLOCK_SPEC_H_
