// Operands of attention: their heads are an axis, or parts of the last one.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_HEADS_H_
#define MACE_OPS_COMMON_HEADS_H_

#include <cstddef>
#include <cstdint>

#include "mace/graph/node.h"

namespace mace {

// How the vectors of an operand lie: [batch, heads, rows, depth]. Element (b,
// h, r, e) is at b * batch_stride + h * head_stride + r * row_stride + e;
// elements of a vector are adjacent. Of an operand with three dimensions, whose
// heads lie beside one another in each row, head_stride is the depth and
// row_stride heads * depth:
//
//  [batch, heads, rows, depth]     head 0: rows; head 1: rows; ...
//  [batch, rows, heads * depth]    row 0: heads; row 1: heads; ...
struct HeadsOf {
  int64_t batch = 0, heads = 0, rows = 0, depth = 0;
  int64_t batch_stride = 0, head_stride = 0, row_stride = 0;  // in elements
};

// Describes input `i`: [batch, heads, rows, depth], where `heads` is 0 or that
// number, or [batch, rows, heads * depth], where `heads` must be given. Errors:
// MACE_INVALID_MODEL for another rank or number of heads.
Result<HeadsOf> ResolveHeads(const Node& node, size_t i, int64_t heads);

// Stores the strides, in elements, with which input `i` broadcasts to `all`,
// which has four dimensions; 0 where it repeats. Leaves strides of dimensions
// that the input does not have as they are. REQUIRES: the strides are 0.
// Errors: MACE_INVALID_MODEL, with `what`, the operand's name, if it does not
// broadcast.
Status ResolveStrides(const Node& node, size_t i, const char* what,
                      const Shape& all, int64_t strides[4]);

}  // namespace mace

#endif  // MACE_OPS_COMMON_HEADS_H_
