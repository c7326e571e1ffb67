// InstanceNorm: y = act(scale * (x - mean) / sqrt(var + epsilon) + offset),
// mean and variance over the positions of each batch and channel.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  f32 [N, ..., C]
//          scale, offset  f32 [C]
// Outputs  y  as x
// Attrs    epsilon  default 1e-5
//          activation, ...: see common/activation_attrs.h
// Errors   x has fewer than two dimensions; a parameter of another extent
// Source   ONNX InstanceNormalization-6

#include "mace/ops/instance_norm.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferInstanceNorm(Node& node) {
  MACE_ASSIGN_OR_RETURN(const InstanceNormAttrs attrs,
                        ReadAttrs<InstanceNormAttrs>(node));
  MACE_RETURN_IF_ERROR(ParseActivation(node, attrs).status());
  const TensorType& x = node.inputs[0].type;
  if (x.rank() < 2) {
    return NodeError(node, "x ", ToString(x), " must be [N, ..., C]");
  }
  for (size_t i = 1; i < 3; ++i) {
    MACE_RETURN_IF_ERROR(
        CheckVector(node, i, x.shape.back(), "one value per channel"));
  }
  node.outputs = {x};
  return Status();
}

}  // namespace

Op InstanceNorm() {
  return Op{
      "InstanceNorm", 3, 3, 1, InferInstanceNorm, AttrsOf<InstanceNormAttrs>}
      .Choices("activation", ActivationChoices)
      .Takes({Float32(), AsInput(0)});
}

}  // namespace mace::ops
