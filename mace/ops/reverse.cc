// Reverse: reverses x along some axes.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x     any type
// Outputs  y     as x
// Attrs    axis  list, each in [-rank, rank)
// Errors   axis out of range or named twice
// Source   TensorFlow tf.reverse

#include "mace/ops/reverse.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferReverse(Node& node) {
  MACE_ASSIGN_OR_RETURN(const ReverseAttrs attrs,
                        ReadAttrs<ReverseAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  MACE_RETURN_IF_ERROR(ResolveAxes(node, attrs.axis, x.rank()).status());
  node.outputs = {x};
  return Status();
}

}  // namespace

Op Reverse() {
  return Op{"Reverse", 1, 1, 1, InferReverse, AttrsOf<ReverseAttrs>}
      .NamesAxes("axis")
      .WithOrder(AxisOrder::kNamed)
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
