// Pooling: the mean, maximum or root mean square of each window, per channel.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  float  [N, H, W, C]
// Outputs  y  float  [N, H', W', C]
// Attrs    pooling_type: 1 mean, 2 maximum, 3 root of the mean of squares
//          kernels: h, w; strides, padding, padding_values, dilations: see
//          common/window.h; round_mode: 0 floor, 1 ceil
//          count_include_pad: means divide by the number of elements in the
//          window and the padded input, else in the window and the input
//          global 0 | 1: one window, the whole input
//          activation, ...: see common/activation_attrs.h
// Errors   attributes out of range; kernel larger than the padded input
// Source   TensorFlow tf.nn.{avg,max}_pool2d, TFLite L2_POOL_2D,
//          ONNX AveragePool-11, MaxPool-12

#include "mace/ops/pooling.h"

#include "mace/ops/common/op.h"

namespace mace {

Result<Window2D> PoolingWindow(const Node& node, const PoolingAttrs& attrs) {
  const Shape& x = node.inputs[0].type.shape;
  if (attrs.global) {
    if (x.size() == 4) {
      return ResolveWindow(node, WindowAttrs(), x, x[1], x[2]);
    }
  } else if (attrs.kernels.size() != 2) {
    return InvalidModel(Label(node),
                        ": attribute 'kernels' needs 2 values, got ",
                        attrs.kernels.size());
  }
  return ResolveWindow(node, attrs, x, attrs.global ? 1 : attrs.kernels[0],
                       attrs.global ? 1 : attrs.kernels[1],
                       attrs.round_mode == 1);
}

namespace ops {
namespace {

Status InferPooling(Node& node) {
  MACE_ASSIGN_OR_RETURN(const PoolingAttrs attrs,
                        ReadAttrs<PoolingAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const Window2D window, PoolingWindow(node, attrs));
  MACE_RETURN_IF_ERROR(ParseActivation(node, attrs).status());
  const TensorType& x = node.inputs[0].type;
  node.outputs = {
      {x.dtype, {x.shape[0], window.h.out, window.w.out, x.shape[3]}}};
  return Status();
}

}  // namespace

Op Pooling() {
  return Op{"Pooling", 1, 1, 1, InferPooling, AttrsOf<PoolingAttrs>}
      .ReadsMany()
      .Choices("pooling_type",
               {{"AVERAGE", static_cast<int64_t>(PoolingType::kAverage)},
                {"MAX", static_cast<int64_t>(PoolingType::kMax)},
                {"L2", static_cast<int64_t>(PoolingType::kL2)}})
      .Choices("round_mode", {{"FLOOR", int64_t{0}}, {"CEIL", int64_t{1}}})
      .Choices("padding", PaddingChoices)
      .Choices("activation", ActivationChoices)
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace ops
}  // namespace mace
