// DepthwiseConv2d: y[n,p,q,c*M+m] = act(b[c*M+m] + sum over r,s of
// x[n,h,v,c] w[m,c,r,s]); h, v as in Conv2d.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  float, or quantized i8, u8 or i16  [N, H, W, C]
//          w  as x  [M, C, kernel_h, kernel_w]
//          b  as x  [C * M], optional
// Outputs  y  float  [N, H', W', C * M]
// Attrs    strides, padding, padding_values, dilations: see common/window.h
//          activation, ...: see common/activation_attrs.h
// Errors   shapes that do not fit together; kernel larger than the padded input
// Source   TensorFlow tf.nn.depthwise_conv2d

#include "mace/ops/depthwise_conv2d.h"

#include "mace/ops/common/filter.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/quantized.h"

namespace mace {

Result<Window2D> DepthwiseConv2dWindow(const Node& node,
                                       const DepthwiseConv2dAttrs& attrs) {
  const Shape& w = node.inputs[1].type.shape;
  return ResolveWindow(node, attrs, node.inputs[0].type.shape, w[2], w[3]);
}

namespace ops {
namespace {

Status InferDepthwiseConv2d(Node& node) {
  MACE_ASSIGN_OR_RETURN(const DepthwiseConv2dAttrs attrs,
                        ReadAttrs<DepthwiseConv2dAttrs>(node));
  MACE_RETURN_IF_ERROR(CheckFilterTypes(node, 1));
  MACE_RETURN_IF_ERROR(CheckFilter(node, 4, "[M, C, kh, kw]"));
  MACE_ASSIGN_OR_RETURN(const Window2D window,
                        DepthwiseConv2dWindow(node, attrs));
  const TensorType& x = node.inputs[0].type;
  const Shape& w = node.inputs[1].type.shape;
  if (w[1] != x.shape[3]) {
    return InvalidModel(Label(node), ": w ", ToString(w),
                        " must be [M, C, kh, kw] with the ", x.shape[3],
                        " channels of x ", ToString(x));
  }
  MACE_ASSIGN_OR_RETURN(const int64_t channels,
                        CheckedNumElements({w[0], w[1]}));
  MACE_RETURN_IF_ERROR(CheckBias(node, channels));
  MACE_RETURN_IF_ERROR(ParseActivation(node, attrs).status());
  node.outputs = {
      {x.dtype, {x.shape[0], window.h.out, window.w.out, channels}}};
  return Status();
}

}  // namespace

Op DepthwiseConv2d() {
  return Op{"DepthwiseConv2d",
            2,
            3,
            1,
            InferDepthwiseConv2d,
            AttrsOf<DepthwiseConv2dAttrs>}
      .ReadsMany()
      .Choices("padding", PaddingChoices)
      .Choices("activation", ActivationChoices)
      .Takes({AnyType(), AsInput(0), AnyType()})
      .WithQuantized(OnQuantized::kComputes);
}

}  // namespace ops
}  // namespace mace
