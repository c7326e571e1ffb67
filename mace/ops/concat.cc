// Concat: joins the inputs along one axis.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x...  any type, one or more; equal except for the extent of the axis
// Outputs  y     as the inputs, with the sum of their extents along the axis
// Attrs    axis  default -1, in [-rank, rank)
// Errors   axis out of range; inputs that differ in type or another extent
// Source   ONNX Concat-13, TensorFlow tf.concat, TFLite CONCATENATION

#include "mace/ops/concat.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferConcat(Node& node) {
  MACE_ASSIGN_OR_RETURN(const ConcatAttrs attrs, ReadAttrs<ConcatAttrs>(node));
  TensorType y = node.inputs[0].type;
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, y.rank()));
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    const TensorType& x = node.inputs[i].type;
    bool fits = x.rank() == y.rank();
    for (int d = 0; fits && d < y.rank(); ++d) {
      fits = d == axis || x.shape[d] == y.shape[d];
    }
    if (!fits) {
      return NodeError(node, "input ", i, " is ", ToString(x),
                       ", it may differ from input 0 ",
                       ToString(node.inputs[0].type), " only along axis ",
                       axis);
    }
    y.shape[axis] += x.shape[axis];
    MACE_RETURN_IF_ERROR(CheckedNumElements(y.shape).status());
  }
  node.outputs = {y};
  return Status();
}

}  // namespace

Op Concat() {
  return Op{"Concat", 1, kMany, 1, InferConcat, AttrsOf<ConcatAttrs>}
      .NamesAxes("axis")
      .Takes({AnyType(), AsInput(0)})
      .WithOrder(AxisOrder::kNamed)
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
