// GatherElements: y[i][j] = x[idx[i][j]][j], for axis 0 of a matrix.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x     any type
//          idx   i32 or i64, of x's rank, no larger than x except along the
//                axis; a negative index counts from the end
// Outputs  y     of x's type and idx's shape
// Attrs    axis  default 0, in [-rank, rank)
// Errors   axis out of range; idx too large. An index out of range is an error
//          when the model runs
// Source   ONNX GatherElements-13

#include "mace/ops/gather_elements.h"

#include "mace/ops/common/element_indices.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferGatherElements(Node& node) {
  MACE_ASSIGN_OR_RETURN(const GatherElementsAttrs attrs,
                        ReadAttrs<GatherElementsAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, x.rank()));
  MACE_RETURN_IF_ERROR(CheckElementIndices(node, axis, "x"));
  node.outputs = {{x.dtype, node.inputs[1].type.shape}};
  return Status();
}

}  // namespace

Op GatherElements() {
  return Op{"GatherElements",
            2,
            2,
            1,
            InferGatherElements,
            AttrsOf<GatherElementsAttrs>}
      .NamesAxes("axis")
      .Takes({AnyType(), Indices()})
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
