// TopK: the k largest (or smallest) elements along an axis, best first.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  f32, i32 or i64
//          k  i32 or i64, one element, optional; known before the model runs
// Outputs  values   as x, with extent k; equal elements keep their order, and
//                   NaN counts as larger than any number
//          indices  i64, of the shape of values
// Attrs    k if it is not an input; axis (default -1); largest (default 1);
//          sorted (they always are)
// Errors   axis out of range; k outside of [0, extent]
// Source   ONNX TopK-11, TensorFlow tf.math.top_k

#include "mace/ops/top_k.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferTopK(Node& node) {
  MACE_ASSIGN_OR_RETURN(const TopKAttrs attrs, ReadAttrs<TopKAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const std::vector<int64_t> k,
                        IntsOf(node, 1, {attrs.k}));
  TensorType y = node.inputs[0].type;
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, y.rank()));
  if (k.size() != 1 || k[0] < 0 || k[0] > y.shape[axis]) {
    return NodeError(node, "k ", ListToString(k),
                     " must be one number, at most the extent of "
                     "axis ",
                     axis, " of x ", ToString(y));
  }
  y.shape[axis] = k[0];
  const size_t num_outputs = node.outputs.size();
  node.outputs = {y, {DataType::kI64, y.shape}};
  node.outputs.resize(num_outputs);
  return Status();
}

}  // namespace

Op TopK() {
  return Op{"TopK", 1, 2, 2, InferTopK, AttrsOf<TopKAttrs>}
      .NamesAxes("axis")
      .Takes({Numbers(), Indices()})
      .WithOrder(AxisOrder::kNamed)
      .Knows(1, "k");
}

}  // namespace mace::ops
