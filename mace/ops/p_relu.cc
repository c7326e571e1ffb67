// PRelu: y = x < 0 ? alpha * x : x, per element.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x      f32, or quantized i8 or u8
//          alpha  as x, of a shape that broadcasts to the shape of x
// Outputs  y      as x
// Attrs    none
// Errors   alpha does not broadcast to x
// Source   ONNX PRelu-9, TFLite PRELU

#include "mace/base/str_cat.h"
#include "mace/ops/common/broadcast.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/common/quantized.h"

namespace mace::ops {
namespace {

Status InferPRelu(Node& node) {
  MACE_RETURN_IF_ERROR(ReadAttrs<NoAttrs>(node).status());
  MACE_RETURN_IF_ERROR(CheckPair(node));
  const TensorType& x = node.inputs[0].type;
  const TensorType& alpha = node.inputs[1].type;
  if (!BroadcastsTo(alpha.shape, x.shape)) {
    return NodeError(node, "alpha ", ToString(alpha),
                     " does not broadcast to x ", ToString(x));
  }
  node.outputs = {x};
  return Status();
}

}  // namespace

Op PRelu() {
  return Op{"PRelu", 2, 2, 1, InferPRelu, AttrsOf<NoAttrs>}
      .Takes({Float32(), AsInput(0)})
      .WithOrder(AxisOrder::kAny)
      .WithQuantized(OnQuantized::kComputes);
}

}  // namespace mace::ops
