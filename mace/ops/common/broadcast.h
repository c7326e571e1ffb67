// NumPy broadcasting: the output's shape, and the loop nest that runs over it.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_BROADCAST_H_
#define MACE_OPS_COMMON_BROADCAST_H_

#include <vector>

#include "mace/graph/node.h"

namespace mace {

// Returns the shape to which `a` and `b` broadcast: aligned at the last
// dimension, extents are equal or one of them is 1. Errors: MACE_INVALID_MODEL,
// with the node and both shapes.
Result<Shape> BroadcastShapes(const Node& node, const Shape& a, const Shape& b);

// Returns whether `from` broadcasts to exactly `to`.
bool BroadcastsTo(const Shape& from, const Shape& to);

// A loop nest over an output and its operands. Adjacent dimensions are merged
// if every operand steps through them as through one, so that operands of equal
// shape need a single loop.
//
//  out [2,3,4], a [2,3,4], b [4]
//    ->  extents {6, 4}, strides of a {4, 1}, strides of b {0, 1}
//
// A single element has the extents {1} and strides of 0.
struct BroadcastPlan {
  std::vector<int64_t> extents;  // outermost first; never empty
  // [operand][dimension], in elements; 0 where the operand repeats.
  std::vector<std::vector<int64_t>> strides;
};

// Element i0, i1, ... of the nest is element sum of i_d * strides[k][d] of
// operand k; the output is dense. Dimensions of size 1 are left out. REQUIRES:
// each of `operands` broadcasts to `out`.
BroadcastPlan PlanBroadcast(const Shape& out,
                            const std::vector<Shape>& operands);

}  // namespace mace

#endif  // MACE_OPS_COMMON_BROADCAST_H_
