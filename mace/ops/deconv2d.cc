// Deconv2d: transposed convolution: each x[n,h,v,c] adds x w[o,c,r,s] to
// y[n,p,q,o], where h, v follow from p, q as in a Conv2d over y that gives x.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  float, or quantized i8, u8 or i16  [N, H, W, C]
//          w  as x, or quantized i8  [O, C / group, kernel_h, kernel_w]
//          b  float  [O], optional
//          s  int    output shape [N, H', W', O], optional, known beforehand
// Outputs  y  float  [N, H', W', O]
// Attrs    strides, padding, padding_values, dilations: see common/window.h
//          output_padding, output_shape: see common/window.h
//          group: output channel o sees the inputs of group o / (O / group)
//          activation, ...: see common/activation_attrs.h
// Errors   shapes that do not fit together; a padding that leaves no output
// Source   TensorFlow tf.nn.conv2d_transpose, ONNX ConvTranspose-11

#include "mace/ops/deconv2d.h"

#include "mace/ops/common/filter.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/common/quantized.h"

namespace mace {

Result<Window2D> Deconv2dWindow(const Node& node, const Deconv2dAttrs& attrs) {
  std::vector<int64_t> size = attrs.output_shape;
  if (node.has_input(3)) {
    MACE_ASSIGN_OR_RETURN(const std::vector<int64_t> shape, KnownInts(node, 3));
    if (shape.size() != 4) {
      return InvalidModel(Label(node),
                          ": the output shape, input 3, must be [N, H, W, C], "
                          "it is ",
                          ToString(shape));
    }
    size = {shape[1], shape[2]};
  }
  const Shape& w = node.inputs[1].type.shape;
  return ResolveTransposedWindow(node, attrs, node.inputs[0].type.shape, w[2],
                                 w[3], attrs.output_padding, size);
}

namespace ops {
namespace {

Status InferDeconv2d(Node& node) {
  MACE_ASSIGN_OR_RETURN(const Deconv2dAttrs attrs,
                        ReadAttrs<Deconv2dAttrs>(node));
  MACE_RETURN_IF_ERROR(CheckFilterTypes(node, 0));
  MACE_RETURN_IF_ERROR(CheckFilter(node, 4, "[O, C / group, kh, kw]"));
  MACE_ASSIGN_OR_RETURN(const Window2D window, Deconv2dWindow(node, attrs));
  const TensorType& x = node.inputs[0].type;
  const Shape& w = node.inputs[1].type.shape;
  MACE_RETURN_IF_ERROR(CheckGroups(node, attrs.group));
  MACE_RETURN_IF_ERROR(CheckBias(node, w[0]));
  MACE_RETURN_IF_ERROR(ParseActivation(node, attrs).status());
  node.outputs = {{x.dtype, {x.shape[0], window.h.out, window.w.out, w[0]}}};
  return Status();
}

}  // namespace

Op Deconv2d() {
  return Op{"Deconv2d", 2, 4, 1, InferDeconv2d, AttrsOf<Deconv2dAttrs>}
      .ReadsMany()
      .Choices("padding", PaddingChoices)
      .Choices("activation", ActivationChoices)
      .Takes({AnyType(), AsInput(0), AnyType(), Indices()})
      .Knows(3, "output shape")
      .WithQuantized(OnQuantized::kComputes);
}

}  // namespace ops
}  // namespace mace
