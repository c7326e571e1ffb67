// Unstack: splits x along one axis; each slice is an output.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x     any type
// Outputs  y...  as x without the axis, one for each position along the axis
// Attrs    axis  default 0, in [-rank, rank)
// Errors   axis out of range; another number of outputs
// Source   TensorFlow tf.unstack

#include "mace/ops/unstack.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferUnstack(Node& node) {
  MACE_ASSIGN_OR_RETURN(const UnstackAttrs attrs,
                        ReadAttrs<UnstackAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, x.rank()));
  const size_t num_outputs = node.outputs.size();
  if (x.shape[axis] != static_cast<int64_t>(num_outputs)) {
    return NodeError(node, "axis ", axis, " of x ", ToString(x),
                     " must have an extent for each "
                     "of ",
                     num_outputs, " outputs");
  }
  TensorType y = x;
  y.shape.erase(y.shape.begin() + axis);
  node.outputs.assign(num_outputs, y);
  return Status();
}

}  // namespace

Op Unstack() {
  return Op{"Unstack", 1, 1, kMany, InferUnstack, AttrsOf<UnstackAttrs>}
      .NamesAxes("axis")
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
