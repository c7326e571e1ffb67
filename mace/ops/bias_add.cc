// BiasAdd: y = act(x + b), one b per channel.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  f32 [..., C]
//          b  f32 [C]
// Outputs  y  as x
// Attrs    activation, ...: see common/activation_attrs.h
// Errors   x is a scalar; b of another extent; an unknown activation
// Source   TensorFlow tf.nn.bias_add

#include "mace/ops/bias_add.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferBiasAdd(Node& node) {
  MACE_ASSIGN_OR_RETURN(const BiasAddAttrs attrs,
                        ReadAttrs<BiasAddAttrs>(node));
  MACE_RETURN_IF_ERROR(ParseActivation(node, attrs).status());
  const TensorType& x = node.inputs[0].type;
  MACE_RETURN_IF_ERROR(ResolveAxis(node, -1, x.rank()).status());
  MACE_RETURN_IF_ERROR(
      CheckVector(node, 1, x.shape.back(), "one value per channel"));
  node.outputs = {x};
  return Status();
}

}  // namespace

Op BiasAdd() {
  return Op{"BiasAdd", 2, 2, 1, InferBiasAdd, AttrsOf<BiasAddAttrs>}
      .Choices("activation", ActivationChoices)
      .Takes({Float32(), AsInput(0)});
}

}  // namespace mace::ops
