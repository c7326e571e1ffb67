// What holds for indices of elements along an axis, for gathering and
// scattering.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/common/element_indices.h"

#include "mace/ops/common/operands.h"

namespace mace::ops {

Status CheckElementIndices(const Node& node, int axis, const char* what) {
  const TensorType& x = node.inputs[0].type;
  const TensorType& idx = node.inputs[1].type;
  bool fits = idx.rank() == x.rank();
  for (int d = 0; fits && d < x.rank(); ++d) {
    fits = d == axis || idx.shape[d] <= x.shape[d];
  }
  if (fits) return Status();
  return NodeError(node, "idx ", ToString(idx), " may be larger than ", what,
                   " ", ToString(x), " only along axis ", axis);
}

}  // namespace mace::ops
