// The values of a Range node.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_RANGE_H_
#define MACE_OPS_RANGE_H_

#include <cstdint>

#include "mace/graph/node.h"

namespace mace {

// The values start + i * delta for i in [0, count). Of floats they are computed
// in double from `start` and `delta`, then rounded once; of integers
// `start_int` and `delta_int` hold, and the others are 0.
struct RangeSpec {
  double start = 0, delta = 0;
  int64_t start_int = 0, delta_int = 0;
  int64_t count = 0;
};

// REQUIRES: the three inputs are known. Errors: MACE_INVALID_MODEL for an input
// that is not one element, a delta of 0, a NaN, or 2^48 values and more.
Result<RangeSpec> RangeOf(const Node& node);

}  // namespace mace

#endif  // MACE_OPS_RANGE_H_
