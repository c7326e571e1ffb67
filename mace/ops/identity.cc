// Identity: x itself.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  any type
// Outputs  y  as x
// Attrs    none
// Errors   none
// Source   ONNX Identity-16, TensorFlow tf.identity

#include "mace/ops/common/op.h"

namespace mace::ops {
namespace {

Status InferIdentity(Node& node) {
  MACE_RETURN_IF_ERROR(ReadAttrs<NoAttrs>(node).status());
  node.outputs = {node.inputs[0].type};
  return Status();
}

}  // namespace

Op Identity() {
  return Op{"Identity", 1, 1, 1, InferIdentity, AttrsOf<NoAttrs>}
      .IsView()
      .WithOrder(AxisOrder::kAny)
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
