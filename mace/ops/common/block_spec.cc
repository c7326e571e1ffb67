// Checks of blocks and their edges.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/common/block_spec.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/operands.h"

namespace mace {

Result<int64_t> CheckBlocks(const Node& node, const std::vector<int64_t>& block,
                            const std::vector<int64_t>& edges,
                            const char* edges_name) {
  const TensorType& x = node.inputs[0].type;
  const int64_t k = static_cast<int64_t>(block.size());
  if (k < 1 || k >= x.rank() || edges.size() != 2 * block.size()) {
    return NodeError(node, "block_shape ", ListToString(block), " and ",
                     edges_name, " ", ListToString(edges),
                     " must hold one and two numbers for each of "
                     "the axes 1, 2, ... of x ",
                     ToString(x));
  }
  // A larger extent makes a shape that no memory can hold.
  constexpr int64_t kMax = int64_t{1} << 58;
  int64_t product = 1;
  for (int64_t b : block) {
    if (b < 1) {
      return NodeError(node, "block_shape ", ListToString(block),
                       " must be 1 or larger");
    }
    MACE_ASSIGN_OR_RETURN(product, CheckedMul(node, product, b, "block"));
  }
  for (int64_t e : edges) {
    if (e < 0 || e > kMax) {
      return NodeError(node, edges_name, " ", ListToString(edges),
                       " must be 0 or larger",
                       e > kMax ? StrCat(", and at most ", kMax) : "");
    }
  }
  return product;
}

}  // namespace mace
