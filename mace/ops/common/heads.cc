// Operands of attention: their heads are an axis, or parts of the last one.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/common/heads.h"

#include "mace/ops/common/broadcast.h"
#include "mace/ops/common/operands.h"

namespace mace {

Result<HeadsOf> ResolveHeads(const Node& node, size_t i, int64_t heads) {
  const TensorType& type = node.inputs[i].type;
  const Shape& s = type.shape;
  HeadsOf h;
  if (type.rank() == 4) {
    h = {s[0], s[1], s[2], s[3], s[1] * s[2] * s[3], s[2] * s[3], s[3]};
    if (heads == 0 || heads == h.heads) return h;
  } else if (type.rank() == 3 && heads > 0 && s[2] % heads == 0) {
    const int64_t depth = s[2] / heads;
    return HeadsOf{s[0], heads, s[1], depth, s[1] * s[2], depth, s[2]};
  }
  return NodeError(node, "input ", i, " is ", ToString(type), ", it must have ",
                   heads,
                   " heads: [batch, heads, rows, depth] or [batch, rows, heads "
                   "* depth]");
}

Status ResolveStrides(const Node& node, size_t i, const char* what,
                      const Shape& all, int64_t strides[4]) {
  const TensorType& type = node.inputs[i].type;
  if (type.rank() > 4 || !BroadcastsTo(type.shape, all)) {
    return NodeError(node, what, " ", ToString(type),
                     " does not broadcast to [", ListToString(all), "]");
  }
  int64_t stride = 1;
  for (int d = type.rank(); d-- > 0;) {
    const int64_t extent = type.shape[d];
    strides[d + 4 - type.rank()] = extent == 1 ? 0 : stride;
    stride *= extent;
  }
  return Status();
}

}  // namespace mace
