// Expand: repeats x along axes of extent 1, so that it has the shape to which
// it broadcasts.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x      any type
//          shape  i32 or i64, optional; known before the model runs
// Outputs  y      as x, of the shape that x and `shape` broadcast to
// Attrs    shape  if it is not an input
// Errors   shapes that do not broadcast; a negative extent
// Source   ONNX Expand-13, TensorFlow tf.broadcast_to

#include "mace/ops/expand.h"

#include "mace/ops/common/broadcast.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferExpand(Node& node) {
  MACE_ASSIGN_OR_RETURN(const ExpandAttrs attrs, ReadAttrs<ExpandAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const std::vector<int64_t> shape,
                        IntsOf(node, 1, attrs.shape));
  if (const auto n = CheckedNumElements(shape); !n.ok()) {
    return NodeError(node, n.status().information());
  }
  TensorType y = node.inputs[0].type;
  MACE_ASSIGN_OR_RETURN(y.shape, BroadcastShapes(node, y.shape, shape));
  node.outputs = {y};
  return Status();
}

}  // namespace

Op Expand() {
  return Op{"Expand", 1, 2, 1, InferExpand, AttrsOf<ExpandAttrs>}
      .Takes({AnyType(), Indices()})
      .Knows(1, "shape")
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
