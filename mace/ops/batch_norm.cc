// BatchNorm: y = act(scale * (x - mean) / sqrt(var + epsilon) + offset).
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  f32 [..., C]
//          scale, offset, mean, var  f32 [C]
// Outputs  y  as x
// Attrs    epsilon  default 1e-4
//          activation, ...: see common/activation_attrs.h
// Errors   x is a scalar; a parameter of another extent
// Source   Ioffe and Szegedy 2015, ONNX BatchNormalization-15 (inference)

#include "mace/ops/batch_norm.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferBatchNorm(Node& node) {
  MACE_ASSIGN_OR_RETURN(const BatchNormAttrs attrs,
                        ReadAttrs<BatchNormAttrs>(node));
  MACE_RETURN_IF_ERROR(ParseActivation(node, attrs).status());
  const TensorType& x = node.inputs[0].type;
  MACE_RETURN_IF_ERROR(ResolveAxis(node, -1, x.rank()).status());
  for (size_t i = 1; i < 5; ++i) {
    MACE_RETURN_IF_ERROR(
        CheckVector(node, i, x.shape.back(), "one value per channel"));
  }
  node.outputs = {x};
  return Status();
}

}  // namespace

Op BatchNorm() {
  return Op{"BatchNorm", 5, 5, 1, InferBatchNorm, AttrsOf<BatchNormAttrs>}
      .Choices("activation", ActivationChoices)
      .Takes({Float32(), AsInput(0)});
}

}  // namespace mace::ops
