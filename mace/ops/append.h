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

struct AppendAttrs {
  int64_t axis = -1;  // in [-rank, rank)

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
  }
};

// Extents along the axis.
struct AppendExtents {
  int axis = 0;
  int64_t capacity = 0, past = 0, rows = 0;
  int64_t next_capacity = 0;  // the same, or more where past and rows need it

  int64_t all() const { return past + rows; }
};

// Errors: MACE_INVALID_MODEL for operands that do not fit together.
Result<AppendExtents> ResolveAppend(const Node& node);

}  // namespace mace

#endif  // MACE_OPS_APPEND_H_
