// LayerNorm: y = scale * (x - mean) / sqrt(var + epsilon) + offset, mean and
// variance over the last axes.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  f32
//          scale, offset  f32, of the shape of x from `axis` on; optional
// Outputs  y  as x
// Attrs    axis     the first of the axes normalized together, default -1
//          epsilon  default 1e-5
//          centered 1 (default); 0: RMSNorm, scale * x / sqrt(mean of x^2 +
//                   epsilon) + offset
// Errors   axis out of range; a parameter of another shape
// Source   ONNX LayerNormalization-17, Ba et al. 2016; ONNX
//          RMSNormalization-23, Zhang and Sennrich 2019

#include "mace/ops/layer_norm.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferLayerNorm(Node& node) {
  MACE_ASSIGN_OR_RETURN(const LayerNormAttrs attrs,
                        ReadAttrs<LayerNormAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, x.rank()));
  const Shape want(x.shape.begin() + axis, x.shape.end());
  for (size_t i = 1; i < 3; ++i) {
    if (!node.has_input(i) || node.inputs[i].type.shape == want) continue;
    return NodeError(node, "input ", i, " is ", ToString(node.inputs[i].type),
                     ", it must be ", ToString(want));
  }
  node.outputs = {x};
  return Status();
}

}  // namespace

Op LayerNorm() {
  return Op{"LayerNorm", 1, 3, 1, InferLayerNorm, AttrsOf<LayerNormAttrs>}
      .Takes({Float32(), AsInput(0)});
}

}  // namespace mace::ops
