// Activation: y = act(x), element by element.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  float
// Outputs  y  as x
// Attrs    activation, ...: see common/activation_attrs.h
// Errors   unknown activation
// Source   ONNX Relu-14, LeakyRelu-6, Elu-6, Selu-6, HardSigmoid-6, ...

#include "mace/ops/activation.h"

#include "mace/ops/common/op.h"

namespace mace::ops {
namespace {

Status InferActivation(Node& node) {
  MACE_ASSIGN_OR_RETURN(const ActivationOpAttrs attrs,
                        ReadAttrs<ActivationOpAttrs>(node));
  MACE_RETURN_IF_ERROR(ParseActivation(node, attrs).status());
  node.outputs = {node.inputs[0].type};
  return Status();
}

}  // namespace

Op Activation() {
  return Op{"Activation", 1, 1, 1, InferActivation, AttrsOf<ActivationOpAttrs>}
      .Choices("activation", ActivationChoices)
      .WithOrder(AxisOrder::kAny)
      .WithQuantized(OnQuantized::kComputes);
}

}  // namespace mace::ops
