// Attributes of Shape.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_SHAPE_H_
#define MACE_OPS_SHAPE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mace/graph/node.h"

namespace mace {

// x [2,3,4] with start 1 makes 3 4. Negative bounds count from the end.
struct ShapeAttrs {
  std::string output_type = "i64";  // or "i32"
  int64_t start = 0;                // first axis, clamped
  int64_t end = INT64_MAX;          // one past the last axis, clamped

  template <typename V>
  void Fields(V& v) {
    v("output_type", output_type);
    v("start", start);
    v("end", end);
  }
};

// Returns the sizes of x that a Shape node computes; empty if start >= end.
std::vector<int64_t> ShapeValues(const ShapeAttrs& attrs, const TensorType& x);

}  // namespace mace

#endif  // MACE_OPS_SHAPE_H_
