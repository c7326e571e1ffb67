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
// y_offset + sum of i * y_strides.
struct MoveBox {
  Shape extents;
  std::vector<int64_t> x_strides, y_strides;
  int64_t x_offset = 0, y_offset = 0;
};

// The strides, in bytes, of a dense tensor of quantized values.
std::vector<int64_t> StridesOf(const Shape& shape);

// The same move with as few axes and as long runs as there are. REQUIRES: the
// box has elements. Errors: MACE_UNSUPPORTED if it has too many axes.
Result<MoveParams> ToMove(const Node& node, const MoveBox& box);

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_DEVICE_BOXES_H_
