// FullyConnected: y[i,o] = act(b[o] + sum over k of x[i,k] w[o,k]).
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  float, or quantized i8, u8 or i16  [..., K], or [N, ...] with K
//             after N
//          w  as x  [O, K]
//          b  as x  [O], optional
// Outputs  y  float  [..., O], or [N, O]
// Attrs    activation, ...: see common/activation_attrs.h
//          dynamic  1: dynamic quantization: where w is stored as int8 or int4
//                   (docs/model_format.md), a device may quantize the rows of x
//                   to int8 while it runs, with a scale for each row; default 0
// Errors   x does not split into rows of K
// Source   TFLite FULLY_CONNECTED, ONNX Gemm-13 with transB

#include "mace/ops/fully_connected.h"

#include "mace/ops/common/filter.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/quantized.h"

namespace mace::ops {
namespace {

Status InferFullyConnected(Node& node) {
  MACE_ASSIGN_OR_RETURN(const FullyConnectedAttrs attrs,
                        ReadAttrs<FullyConnectedAttrs>(node));
  MACE_RETURN_IF_ERROR(CheckFilterTypes(node, 0));
  MACE_RETURN_IF_ERROR(CheckFilter(node, 2, "[O, K]"));
  const TensorType& x = node.inputs[0].type;
  const Shape& w = node.inputs[1].type.shape;
  MACE_RETURN_IF_ERROR(CheckBias(node, w[0]));
  MACE_RETURN_IF_ERROR(ParseActivation(node, attrs).status());
  Shape y;
  if (x.rank() >= 1 && x.shape.back() == w[1]) {
    y = x.shape;
    y.back() = w[0];
  } else if (x.rank() >= 2 &&
             NumElements({x.shape.begin() + 1, x.shape.end()}) == w[1]) {
    y = {x.shape[0], w[0]};
  } else {
    return InvalidModel(Label(node), ": x ", ToString(x),
                        " does not split into rows of the ", w[1],
                        " columns of w ", ToString(w));
  }
  node.outputs = {{x.dtype, y}};
  return Status();
}

}  // namespace

Op FullyConnected() {
  return Op{"FullyConnected",
            2,
            3,
            1,
            InferFullyConnected,
            AttrsOf<FullyConnectedAttrs>}
      .ReadsMany()
      .Choices("activation", ActivationChoices)
      .Takes({AnyType(), AsInput(0), AnyType()})
      .WithQuantized(OnQuantized::kComputes);
}

}  // namespace mace::ops
