// ScatterElements: y is data, but y[idx[i][j]][j] is updates[i][j] (for axis 0
// of a matrix), or data and updates combined.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   data     any type; f32, i32 or i64 with a reduction
//          idx      i32 or i64, of data's rank, no larger than data except
//                   along the axis; a negative index counts from the end
//          updates  as data, of idx's shape
// Outputs  y        as data
// Attrs    axis       default 0, in [-rank, rank)
//          reduction  NONE: of equal indices the last wins; SUM, PROD, MIN or
//                     MAX of data and updates, in the order of the updates
// Errors   axis out of range; idx too large; updates of another shape. An index
//          out of range is an error when the model runs
// Source   ONNX ScatterElements-18

#include "mace/ops/scatter_elements.h"

#include "mace/ops/common/element_indices.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/common/scatter.h"

namespace mace::ops {
namespace {

Status InferScatterElements(Node& node) {
  MACE_ASSIGN_OR_RETURN(const ScatterElementsAttrs attrs,
                        ReadAttrs<ScatterElementsAttrs>(node));
  MACE_RETURN_IF_ERROR(ScatterKindOf(node, attrs.reduction).status());
  const TensorType& data = node.inputs[0].type;
  const TensorType& idx = node.inputs[1].type;
  const TensorType& updates = node.inputs[2].type;
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, data.rank()));
  MACE_RETURN_IF_ERROR(CheckElementIndices(node, axis, "data"));
  if (updates.shape != idx.shape) {
    return NodeError(node, "updates ", ToString(updates),
                     " must have the shape of idx ", ToString(idx));
  }
  node.outputs = {data};
  return Status();
}

}  // namespace

Op ScatterElements() {
  return WithReduction(Op{"ScatterElements", 3, 3, 1, InferScatterElements,
                          AttrsOf<ScatterElementsAttrs>}
                           .NamesAxes("axis"));
}

}  // namespace mace::ops
