// Gather: selects slices of x along one axis, by index.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x    any type
//          idx  i32 or i64; a negative index counts from the end
// Outputs  y    as x, [x before axis..., idx after batch_dims..., x after...]
// Attrs    axis        default 0, in [-rank, rank)
//          batch_dims  how many leading axes x and idx share, at most axis
//          from_start  1: a negative index is out of range, as in TensorFlow;
//                      default 0
// Errors   axis out of range; batches that differ. An index out of range is
//          an error when the model runs
// Source   ONNX Gather-13, TensorFlow tf.gather

#include "mace/ops/gather.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferGather(Node& node) {
  MACE_ASSIGN_OR_RETURN(const GatherAttrs attrs, ReadAttrs<GatherAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  const TensorType& idx = node.inputs[1].type;
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, x.rank()));
  const int64_t batch = attrs.batch_dims;
  bool fits = batch >= 0 && batch <= axis && batch <= idx.rank();
  for (int d = 0; fits && d < batch; ++d) fits = x.shape[d] == idx.shape[d];
  if (!fits) {
    return NodeError(node, "batch_dims ", batch,
                     " must count equal leading axes of x ", ToString(x),
                     " and idx ", ToString(idx), " before axis ", axis);
  }
  TensorType y = x;
  y.shape.assign(x.shape.begin(), x.shape.begin() + axis);
  y.shape.insert(y.shape.end(), idx.shape.begin() + batch, idx.shape.end());
  y.shape.insert(y.shape.end(), x.shape.begin() + axis + 1, x.shape.end());
  node.outputs = {y};
  return Status();
}

}  // namespace

Op Gather() {
  return Op{"Gather", 2, 2, 1, InferGather, AttrsOf<GatherAttrs>}
      .NamesAxes("axis")
      .Takes({AnyType(), Indices()})
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
