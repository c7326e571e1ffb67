// Conv2d: y[n,p,q,o] = act(b[o] + sum over r,s,c of x[n,h,v,c] w[o,c,r,s]),
// where h, v follow from p, q and r, s by stride, padding and dilation.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  float, or quantized i8, u8 or i16  [N, H, W, C]
//          w  as x  [O, C / group, kernel_h, kernel_w]
//          b  as x  [O], optional
// Outputs  y  float  [N, H', W', O]
// Attrs    strides, padding, padding_values, dilations: see common/window.h
//          group: output channel o sees the inputs of group o / (O / group)
//          activation, ...: see common/activation_attrs.h
// Errors   shapes that do not fit together; kernel larger than the padded input
// Source   TensorFlow tf.nn.conv2d, ONNX Conv-11

#include "mace/ops/conv2d.h"

#include "mace/ops/common/filter.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/quantized.h"

namespace mace {

Result<Window2D> Conv2dWindow(const Node& node, const Conv2dAttrs& attrs) {
  const Shape& w = node.inputs[1].type.shape;
  return ResolveWindow(node, attrs, node.inputs[0].type.shape, w[2], w[3]);
}

namespace ops {
namespace {

Status InferConv2d(Node& node) {
  MACE_ASSIGN_OR_RETURN(const Conv2dAttrs attrs, ReadAttrs<Conv2dAttrs>(node));
  MACE_RETURN_IF_ERROR(CheckFilterTypes(node, 0));
  MACE_RETURN_IF_ERROR(CheckFilter(node, 4, "[O, C / group, kh, kw]"));
  MACE_ASSIGN_OR_RETURN(const Window2D window, Conv2dWindow(node, attrs));
  const TensorType& x = node.inputs[0].type;
  const Shape& w = node.inputs[1].type.shape;
  MACE_RETURN_IF_ERROR(CheckGroups(node, attrs.group));
  MACE_RETURN_IF_ERROR(CheckBias(node, w[0]));
  MACE_RETURN_IF_ERROR(ParseActivation(node, attrs).status());
  node.outputs = {{x.dtype, {x.shape[0], window.h.out, window.w.out, w[0]}}};
  return Status();
}

}  // namespace

Op Conv2d() {
  return Op{"Conv2d", 2, 3, 1, InferConv2d, AttrsOf<Conv2dAttrs>}
      .ReadsMany()
      .Choices("padding", PaddingChoices)
      .Choices("activation", ActivationChoices)
      .Takes({AnyType(), AsInput(0), AnyType()})
      .WithQuantized(OnQuantized::kComputes);
}

}  // namespace ops
}  // namespace mace
