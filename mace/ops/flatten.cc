// Flatten: x as a matrix.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x     any type, [d0, ..., dn)
// Outputs  y     as x, [d0 * ... before axis, axis * ...]
// Attrs    axis  default 1, in [-rank, rank]
// Errors   axis out of range
// Source   ONNX Flatten-13

#include "mace/ops/flatten.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferFlatten(Node& node) {
  MACE_ASSIGN_OR_RETURN(const FlattenAttrs attrs,
                        ReadAttrs<FlattenAttrs>(node));
  TensorType y = node.inputs[0].type;
  int axis = y.rank();
  if (attrs.axis != y.rank()) {
    MACE_ASSIGN_OR_RETURN(axis, ResolveAxis(node, attrs.axis, y.rank()));
  }
  const auto split = y.shape.begin() + axis;
  y.shape = {NumElements(Shape(y.shape.begin(), split)),
             NumElements(Shape(split, y.shape.end()))};
  node.outputs = {y};
  return Status();
}

}  // namespace

Op Flatten() {
  return Op{"Flatten", 1, 1, 1, InferFlatten, AttrsOf<FlattenAttrs>}
      .IsView()
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
