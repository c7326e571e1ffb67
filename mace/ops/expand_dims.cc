// ExpandDims: x with extents of 1 inserted.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x     any type
// Outputs  y     as x, of rank + len(axis) dimensions
// Attrs    axis  positions of the 1s in y, each in [-rank(y), rank(y))
// Errors   axis out of range or named twice
// Source   ONNX Unsqueeze-13, TensorFlow tf.expand_dims

#include "mace/ops/expand_dims.h"

#include <algorithm>

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferExpandDims(Node& node) {
  MACE_ASSIGN_OR_RETURN(const ExpandDimsAttrs attrs,
                        ReadAttrs<ExpandDimsAttrs>(node));
  TensorType y = node.inputs[0].type;
  const int rank = y.rank() + static_cast<int>(attrs.axis.size());
  MACE_ASSIGN_OR_RETURN(std::vector<int> axes,
                        ResolveAxes(node, attrs.axis, rank));
  std::sort(axes.begin(), axes.end());
  for (int axis : axes) y.shape.insert(y.shape.begin() + axis, 1);
  node.outputs = {y};
  return Status();
}

}  // namespace

Op ExpandDims() {
  return Op{"ExpandDims", 1, 1, 1, InferExpandDims, AttrsOf<ExpandDimsAttrs>}
      .IsView()
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
