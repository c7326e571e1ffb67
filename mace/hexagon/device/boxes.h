// Boxes of bytes that move between tensors of any strides.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_DEVICE_BOXES_H_
#define MACE_HEXAGON_DEVICE_BOXES_H_

#include <cstdint>
#include <vector>

#include "mace/base/status.h"
#include "mace/graph/node.h"
#include "mace/hexagon/protocol/ops.h"

namespace mace::hexagon {

// Byte (i0, i1, ...) of the box moves from x_offset + sum of i * x_strides to
// y_offset + sum of i * y_strides. Strides may be 0 (repeated) or negative;
// those of x and y have as many axes as `extents`. Elements have a byte each.
struct MoveBox {
  Shape extents;
  std::vector<int64_t> x_strides, y_strides;
  int64_t x_offset = 0, y_offset = 0;
};

// The strides, in bytes, of a dense tensor of quantized values.
std::vector<int64_t> StridesOf(const Shape& shape);

// Returns the same move with as few axes and as long runs as there are: axes of
// extent 1 are dropped, and an axis joins the one inside it where both sides go
// on without a gap. {2, 3, 4} of dense x and y is one run of 24. REQUIRES: the
// box has elements, and offsets and strides fit int32. Errors: MACE_UNSUPPORTED
// if more than 5 axes remain (MoveParams).
Result<MoveParams> ToMove(const Node& node, const MoveBox& box);

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_DEVICE_BOXES_H_
