// LpNorm: y = x / max(norm, epsilon), the norm of x along an axis.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x        f32, or quantized i8 or u8
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
  const TensorType& x = node.inputs[0].type;
  MACE_RETURN_IF_ERROR(ResolveAxis(node, attrs.axis, x.rank()).status());
  node.outputs = {x};
  return Status();
}

}  // namespace

Op LpNorm() {
  return Op{"LpNorm", 1, 1, 1, InferLpNorm, AttrsOf<LpNormAttrs>}
      .Choices("p", {{"L1", int64_t{1}}, {"L2", int64_t{2}}})
      .NamesAxes("axis")
      .Takes({Float32()})
      .WithOrder(AxisOrder::kNamed)
      .WithQuantized(OnQuantized::kComputes);
}

}  // namespace mace::ops
