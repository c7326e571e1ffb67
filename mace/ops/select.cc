// Select: y = cond ? a : b, element by element with NumPy broadcasting.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   cond  bool
//          a, b  any type, the same
// Outputs  y     of a's type, of the shape that all three broadcast to
// Attrs    none
// Errors   types differ; shapes do not broadcast
// Source   ONNX Where-16, TensorFlow tf.where

#include "mace/ops/common/broadcast.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferSelect(Node& node) {
  MACE_RETURN_IF_ERROR(ReadAttrs<NoAttrs>(node).status());
  TensorType y = node.inputs[1].type;
  MACE_ASSIGN_OR_RETURN(
      y.shape, BroadcastShapes(node, y.shape, node.inputs[2].type.shape));
  MACE_ASSIGN_OR_RETURN(
      y.shape, BroadcastShapes(node, y.shape, node.inputs[0].type.shape));
  node.outputs = {y};
  return Status();
}

}  // namespace

Op Select() {
  return Op{"Select", 3, 3, 1, InferSelect, AttrsOf<NoAttrs>}
      .Takes({OneOf({DataType::kBool}), AnyType(), AsInput(1)})
      .WithOrder(AxisOrder::kAny)
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
