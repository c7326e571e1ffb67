// Attributes and shapes of Append.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_APPEND_H_
#define MACE_OPS_APPEND_H_

#include <cstdint>

#include "mace/graph/node.h"

namespace mace {

// The inputs and outputs of Append, by index.
enum AppendInput : uint8_t { kAppendCache, kAppendPast, kAppendRows };
enum AppendOutput : uint8_t { kAppendedCache, kAppendedCount, kAppendedAll };

// The axis of each tensor, with a capacity of 5 that grows to 16 (p: past, r:
// rows, .: not yet used, 0 where the capacity grew):
//
//  cache  p p p p .                          past has 4 rows
//  rows           r r
//  y      p p p p r r . . . . . . . . . .    count is 6
//  all    p p p p r r
struct AppendAttrs {
  int64_t axis = -1;  // in [-rank, rank)

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
  }
};

// Sizes along the axis.
struct AppendExtents {
  int axis = 0;
  int64_t capacity = 0, past = 0, rows = 0;
  int64_t next_capacity = 0;  // the same, or more where past and rows need it

  int64_t all() const { return past + rows; }
};

// Checks the operands and returns their sizes; plans call it again for nodes
// whose inputs are inferred. Errors: MACE_INVALID_MODEL if an input differs
// from the cache in rank or in another dimension, if `past` has more rows than
// the cache, for an axis out of range, or for tensors that are too large.
Result<AppendExtents> ResolveAppend(const Node& node);

}  // namespace mace

#endif  // MACE_OPS_APPEND_H_
