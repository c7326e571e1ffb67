// Stack: joins tensors of equal shape along a new axis.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x...  any type, one or more of the same shape
// Outputs  y     as x, with an axis of as many extents as there are inputs
// Attrs    axis  its position, default 0, in [-rank - 1, rank]
// Errors   axis out of range; inputs that differ
// Source   TensorFlow tf.stack, TFLite PACK

#include "mace/ops/stack.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferStack(Node& node) {
  MACE_ASSIGN_OR_RETURN(const StackAttrs attrs, ReadAttrs<StackAttrs>(node));
  TensorType y = node.inputs[0].type;
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, y.rank() + 1));
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    if (node.inputs[i].type.shape == y.shape) continue;
    return NodeError(node, "input ", i, " is ", ToString(node.inputs[i].type),
                     ", it must be as input 0 ", ToString(y));
  }
  y.shape.insert(y.shape.begin() + axis,
                 static_cast<int64_t>(node.inputs.size()));
  node.outputs = {y};
  return Status();
}

}  // namespace

Op Stack() {
  return Op{"Stack", 1, kMany, 1, InferStack, AttrsOf<StackAttrs>}
      .Takes({AnyType(), AsInput(0)})
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
