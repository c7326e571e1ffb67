// Squeeze: x without some of its extents of 1.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x     any type
// Outputs  y     as x, of fewer dimensions
// Attrs    axis  list, each in [-rank, rank); []: every extent of 1
// Errors   axis out of range, named twice, or of another extent
// Source   ONNX Squeeze-13, TensorFlow tf.squeeze

#include "mace/ops/squeeze.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferSqueeze(Node& node) {
  MACE_ASSIGN_OR_RETURN(const SqueezeAttrs attrs,
                        ReadAttrs<SqueezeAttrs>(node));
  TensorType y = node.inputs[0].type;
  MACE_ASSIGN_OR_RETURN(std::vector<int> axes,
                        ResolveAxes(node, attrs.axis, y.rank()));
  for (int axis : axes) {
    if (y.shape[axis] == 1) continue;
    return NodeError(node, "axis ", axis, " of x ", ToString(y),
                     " must have extent 1");
  }
  for (int d = 0; attrs.axis.empty() && d < y.rank(); ++d) {
    if (y.shape[d] == 1) axes.push_back(d);
  }
  y.shape = DropAxes(y.shape, axes, /*keep=*/false);
  node.outputs = {y};
  return Status();
}

}  // namespace

Op Squeeze() {
  return Op{"Squeeze", 1, 1, 1, InferSqueeze, AttrsOf<SqueezeAttrs>}
      .IsView()
      .NamesAxes("axis")
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
