// Transpose: the axes of x in another order.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x     any type
// Outputs  y     as x; axis d of y is axis dims[d] of x
// Attrs    dims  a permutation of the axes; []: reversed
// Errors   dims that are no permutation
// Source   ONNX Transpose-13, TensorFlow tf.transpose

#include "mace/ops/transpose.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace {

Result<std::vector<int>> TransposeDims(const Node& node) {
  MACE_ASSIGN_OR_RETURN(TransposeAttrs attrs, ReadAttrs<TransposeAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  if (attrs.dims.empty()) {
    for (int d = x.rank(); d-- > 0;) attrs.dims.push_back(d);
  }
  if (static_cast<int>(attrs.dims.size()) != x.rank()) {
    return NodeError(node, "dims ", ListToString(attrs.dims),
                     " must name every axis of x ", ToString(x), " once");
  }
  return ResolveAxes(node, attrs.dims, x.rank());
}

namespace ops {
namespace {

Status InferTranspose(Node& node) {
  MACE_ASSIGN_OR_RETURN(const std::vector<int> dims, TransposeDims(node));
  TensorType y = node.inputs[0].type;
  for (int d = 0; d < y.rank(); ++d) {
    y.shape[d] = node.inputs[0].type.shape[dims[d]];
  }
  node.outputs = {y};
  return Status();
}

}  // namespace

Op Transpose() {
  return Op{"Transpose", 1, 1, 1, InferTranspose, AttrsOf<TransposeAttrs>}
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace ops
}  // namespace mace
