// The values of a Range node.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_RANGE_H_
#define MACE_OPS_RANGE_H_

#include <cstdint>

#include "mace/graph/node.h"

namespace mace {

// The values start, start + delta, ..., `count` of them: floats or integers,
// according to the type of the node.
struct RangeSpec {
  double start = 0, delta = 0;
  int64_t start_int = 0, delta_int = 0;
  int64_t count = 0;
};

// Errors: MACE_INVALID_MODEL.
Result<RangeSpec> RangeOf(const Node& node);

}  // namespace mace

#endif  // MACE_OPS_RANGE_H_
