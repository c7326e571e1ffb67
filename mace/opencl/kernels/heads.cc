// Operands whose heads are an axis, or parts of the last one, on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/kernels/heads.h"

namespace mace::opencl {

void AddHeads(const HeadsOf& h, bool has_axis, Pass& pass) {
  if (has_axis) {  // rows are the pixels of a line, heads are lines
    pass.Int(h.rows, 1, 0, 0, 1, h.heads);
  } else {
    pass.Int(1, 0, 1, h.depth / 4, 0, h.rows);
  }
}

Status CheckHeads(const Node& node, const HeadsOf& h, bool has_axis) {
  if (has_axis || h.depth % 4 == 0) return Status();
  return Unsupported(Label(node),
                     ": on the GPU heads that are parts of the "
                     "last axis must have a multiple of 4 "
                     "elements, these have ",
                     h.depth);
}

}  // namespace mace::opencl
