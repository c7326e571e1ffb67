// LpNorm: y = x / max(norm, epsilon), the norm of x along an axis.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x        f32
// Outputs  y        as x; 0 where the divisor is 0
// Attrs    p        1 (sum of magnitudes) or 2 (root of the sum of squares)
//          axis     default -1, in [-rank, rank)
//          epsilon  default 0
// Errors   axis out of range; another p
// Source   ONNX LpNormalization-1, TFLite L2_NORMALIZATION

#include "mace/ops/lp_norm.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferLpNorm(Node& node) {
  MACE_ASSIGN_OR_RETURN(const LpNormAttrs attrs, ReadAttrs<LpNormAttrs>(node));
  MACE_RETURN_IF_ERROR(CheckDtype(node, 0, {DataType::kF32}));
  const TensorType& x = node.inputs[0].type;
  MACE_RETURN_IF_ERROR(ResolveAxis(node, attrs.axis, x.rank()).status());
  if (attrs.p != 1 && attrs.p != 2) {
    return NodeError(node, "p " + std::to_string(attrs.p) + " must be 1 or 2");
  }
  node.outputs = {x};
  return Status();
}

}  // namespace

Op LpNorm() {
  return {"LpNorm", 1, 1, 1, InferLpNorm, AttrNamesOf<LpNormAttrs>};
}

}  // namespace mace::ops
