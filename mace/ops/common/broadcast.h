// NumPy broadcasting: the output's shape, and the loop nest that runs over it.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_BROADCAST_H_
#define MACE_OPS_COMMON_BROADCAST_H_

#include <vector>

#include "mace/graph/node.h"

namespace mace {

// The shape that `a` and `b` broadcast to: aligned at the last dimension, each
// extent equal or 1. Errors: MACE_INVALID_MODEL, naming node and shapes.
Result<Shape> BroadcastShapes(const Node& node, const Shape& a, const Shape& b);

// Whether `from` broadcasts to exactly `to`.
bool BroadcastsTo(const Shape& from, const Shape& to);

// A loop nest over an output and its operands. Neighbouring dimensions that
// every operand walks alike are merged, so same-shaped operands give one loop.
//
//   out [2,3,4], a [2,3,4], b [4]  ->  extents {6, 4}, strides a {4, 1}, b {0,
//   1}
struct BroadcastPlan {
  std::vector<int64_t> extents;               // outermost first; never empty
  std::vector<std::vector<int64_t>> strides;  // [operand][dimension], elements;
                                              // 0 where the operand repeats
};

// REQUIRES: each of `operands` broadcasts to `out`.
BroadcastPlan PlanBroadcast(const Shape& out,
                            const std::vector<Shape>& operands);

}  // namespace mace

#endif  // MACE_OPS_COMMON_BROADCAST_H_
