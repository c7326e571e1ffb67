// Hardmax: 1 at the first largest element along an axis, 0 elsewhere.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  float   [d0, ..., dn)
// Outputs  y  as x
// Attrs    axis  default -1, in [-rank, rank)
// Errors   axis out of range; x is a scalar
// Source   ONNX Hardmax-13

#include "mace/ops/hardmax.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferHardmax(Node& node) {
  MACE_ASSIGN_OR_RETURN(const HardmaxAttrs attrs,
                        ReadAttrs<HardmaxAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  MACE_RETURN_IF_ERROR(ResolveAxis(node, attrs.axis, x.rank()).status());
  node.outputs = {x};
  return Status();
}

}  // namespace

Op Hardmax() {
  return Op{"Hardmax", 1, 1, 1, InferHardmax, AttrsOf<HardmaxAttrs>}
      .NamesAxes("axis")
      .WithOrder(AxisOrder::kNamed);
}

}  // namespace mace::ops
