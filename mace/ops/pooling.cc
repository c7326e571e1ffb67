// Pooling: the mean, maximum or root mean square of each window, per channel.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  float  [N, H, W, C]
// Outputs  y  float  [N, H', W', C]
// Attrs    pooling_type: 1 mean, 2 maximum, 3 root of the mean of squares
//          kernels: h, w; strides, padding, padding_values, dilations: see
//          common/window.h; round_mode: 0 floor, 1 ceil
//          count_include_pad: means divide by the padded window, without what
//          reaches beyond the padding, else by the elements in the input
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
    return InvalidModel(Label(node) +
                        ": attribute 'kernels' needs 2 values, got " +
                        std::to_string(attrs.kernels.size()));
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
  if (attrs.pooling_type < 1 || attrs.pooling_type > 3) {
    return InvalidModel(Label(node) +
                        ": attribute 'pooling_type' must be 1 (mean), 2 (max) "
                        "or 3 (L2), got " +
                        std::to_string(attrs.pooling_type));
  }
  if (attrs.round_mode < 0 || attrs.round_mode > 1) {
    return InvalidModel(Label(node) +
                        ": attribute 'round_mode' must be 0 (floor) or 1 "
                        "(ceil), got " +
                        std::to_string(attrs.round_mode));
  }
  MACE_ASSIGN_OR_RETURN(const Window2D window, PoolingWindow(node, attrs));
  MACE_RETURN_IF_ERROR(ParseActivation(node, attrs).status());
  const TensorType& x = node.inputs[0].type;
  node.outputs = {
      {x.dtype, {x.shape[0], window.h.out, window.w.out, x.shape[3]}}};
  return Status();
}

}  // namespace

Op Pooling() {
  return {"Pooling", 1,     1,   1, InferPooling, AttrNamesOf<PoolingAttrs>,
          false,     false, true};
}

}  // namespace ops
}  // namespace mace
