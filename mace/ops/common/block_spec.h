// Checks that BatchToSpaceNd and SpaceToBatchNd share.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_BLOCK_SPEC_H_
#define MACE_OPS_COMMON_BLOCK_SPEC_H_

#include <vector>

#include "mace/graph/node.h"

namespace mace {

// Checks that `block` has a size (1 or larger), and `edges` two numbers (from 0
// to 2^58), for each of the axes 1 to block.size() of input 0, and that there
// is at least one such axis. `edges` is [before1, after1, before2, ...], and
// `edges_name` its name in messages. Returns the product of the blocks. Errors:
// MACE_INVALID_MODEL, also for a product above 2^58.
Result<int64_t> CheckBlocks(const Node& node, const std::vector<int64_t>& block,
                            const std::vector<int64_t>& edges,
                            const char* edges_name);

}  // namespace mace

#endif  // MACE_OPS_COMMON_BLOCK_SPEC_H_
