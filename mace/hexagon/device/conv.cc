// Conv2d, DepthwiseConv2d, FullyConnected and Deconv2d.
// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "mace/graph/attrs.h"
#include "mace/hexagon/device/boxes.h"
#include "mace/hexagon/device/ranges.h"
#include "mace/hexagon/device/translate.h"
#include "mace/hexagon/packing/nodes.h"
#include "mace/hexagon/protocol/conv_scratch.h"
#include "mace/hexagon/protocol/depthwise_scratch.h"
#include "mace/ops/conv2d.h"
#include "mace/ops/deconv2d.h"
#include "mace/ops/depthwise_conv2d.h"
#include "mace/ops/fully_connected.h"

namespace mace::hexagon {
namespace {

constexpr int64_t kMaxChannels = 1 << 16;

Status CheckFilter(const Node& node) {
  const bool has_bias = node.has_input(2);
  if (node.inputs[1].data == nullptr || !node.inputs[1].type.is_quantized() ||
      node.inputs[1].type.dtype != node.inputs[0].type.dtype ||
      (has_bias && (node.inputs[2].data == nullptr ||
                    node.inputs[2].type.dtype != DataType::kI32))) {
    return Unsupported(Label(node),
                       ": the DSP takes constant filters and "
                       "biases of 8 and 32 bits");
  }
  return Status();
}

// The filter [outputs, inputs, taps] of the node.
QuantizedFilter FilterOf(const Node& node, int64_t outputs, int64_t inputs,
                         int64_t taps) {
  const Operand& w = node.inputs[1];
  return {w.data,
          IsSigned(w.type) != 0,
          w.type.quantization->zero_point(),
          outputs,
          inputs,
          taps,
          inputs * taps,
          taps,
          1};
}

Scaling ScalingOf(const Node& node) {
  const TensorType& y = node.outputs[0];
  const Quantization& x = *node.inputs[0].type.quantization;
  Scaling scaling;
  scaling.x_zero_point = x.zero_point();
  if (node.has_input(2)) {
    scaling.bias = static_cast<const int32_t*>(node.inputs[2].data);
  }
  for (const float scale : node.inputs[1].type.quantization->scales) {
    double product = double{x.scale()} * scale;
    if (IsSigned(node.inputs[0].type) == 0) {
      product = static_cast<float>(product);
    }
    scaling.factors.push_back(ToFixed(product / y.quantization->scale()));
  }
  return scaling;
}

Status CheckSize(const Node& node, bool fits) {
  if (fits) return Status();
  return Unsupported(Label(node), ": too large for the DSP");
}

}  // namespace

Status TranslateConv2d(const Node& node, const Target& target, int64_t* macs) {
  MACE_RETURN_IF_ERROR(CheckFilter(node));
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<Conv2dAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const Window2D window, Conv2dWindow(node, attrs));
  const Shape &x = node.inputs[0].type.shape, &w = node.inputs[1].type.shape;
  ConvParams p = {};
  MACE_ASSIGN_OR_RETURN(p.h, ToParams(node, window.h));
  MACE_ASSIGN_OR_RETURN(p.w, ToParams(node, window.w));
  MACE_ASSIGN_OR_RETURN(p.y, OutputRangeOf(node, attrs));
  const int64_t taps = w[2] * w[3];
  MACE_RETURN_IF_ERROR(CheckSize(
      node, x[0] <= kMaxChannels && x[3] <= kMaxChannels &&
                w[0] <= kMaxChannels && taps * w[1] <= kMaxConvDepth - 8));
  const Scaling scaling = ScalingOf(node);
  MACE_RETURN_IF_ERROR(CheckSize(node, AreInRange(scaling.factors)));
  *macs =
      SaturatedProduct({x[0], window.h.out, window.w.out, w[0], taps, w[1]});
  if (target.writer == nullptr) return Status();
  p.batch = static_cast<int32_t>(x[0]);
  p.groups = static_cast<int32_t>(attrs.group);
  p.in_per_group = static_cast<int32_t>(w[1]);
  p.out_per_group = static_cast<int32_t>(w[0] / attrs.group);
  p.x_zero_point = scaling.x_zero_point;
  p.is_signed = IsSigned(node.inputs[0].type);
  MACE_ASSIGN_OR_RETURN(
      PackedFilter packed,
      PackFilter(FilterOf(node, w[0], w[1], taps), attrs.group, scaling));
  AddConv(target.inputs[0], target.output, p, std::move(packed), target.writer);
  return Status();
}

Status TranslateDepthwiseConv2d(const Node& node, const Target& target,
                                int64_t* macs) {
  MACE_RETURN_IF_ERROR(CheckFilter(node));
  MACE_ASSIGN_OR_RETURN(const auto attrs,
                        ReadAttrs<DepthwiseConv2dAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const Window2D window,
                        DepthwiseConv2dWindow(node, attrs));
  const Shape &x = node.inputs[0].type.shape, &w = node.inputs[1].type.shape;
  if (w[0] != 1) {
    return Unsupported(Label(node), ": the DSP computes one output for each ",
                       "channel, not ", w[0]);
  }
  DepthwiseParams p = {};
  MACE_ASSIGN_OR_RETURN(p.h, ToParams(node, window.h));
  MACE_ASSIGN_OR_RETURN(p.w, ToParams(node, window.w));
  MACE_ASSIGN_OR_RETURN(p.y, OutputRangeOf(node, attrs));
  const int64_t taps = w[2] * w[3];
  const Scaling scaling = ScalingOf(node);
  MACE_RETURN_IF_ERROR(CheckSize(
      node, x[0] <= kMaxChannels && x[3] <= kMaxChannels &&
                w[2] <= 4 * kMaxRowGroups && AreInRange(scaling.factors)));
  p.batch = static_cast<int32_t>(x[0]);
  p.channels = static_cast<int32_t>(x[3]);
  p.x_zero_point = scaling.x_zero_point;
  p.is_signed = IsSigned(node.inputs[0].type);
  constexpr uint64_t kMaxScratch = uint64_t{1} << 28;
  MACE_RETURN_IF_ERROR(
      CheckSize(node, DepthwiseScratch(p).bytes() <= kMaxScratch));
  *macs = SaturatedProduct({x[0], window.h.out, window.w.out, x[3], taps});
  if (target.writer == nullptr) return Status();
  MACE_ASSIGN_OR_RETURN(
      PackedFilter packed,
      PackDepthwise(FilterOf(node, x[3], 1, taps), w[2], w[3], scaling));
  AddDepthwise(target.inputs[0], target.output, p, std::move(packed),
               target.writer);
  return Status();
}

// A convolution of images with one row of pixels. Where the CPU rounds once,
// in double precision, so does the DSP, in fixed point: in about one of 10^7
// results that differs by a step.
Status TranslateFullyConnected(const Node& node, const Target& target,
                               int64_t* macs) {
  MACE_RETURN_IF_ERROR(CheckFilter(node));
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<FullyConnectedAttrs>(node));
  const Shape& w = node.inputs[1].type.shape;
  const int64_t rows = NumElements(node.outputs[0].shape) / w[0];
  ConvParams p = {};
  Window pixels;
  pixels.in = pixels.out = rows;
  MACE_ASSIGN_OR_RETURN(p.h, ToParams(node, Window()));
  MACE_ASSIGN_OR_RETURN(p.w, ToParams(node, pixels));
  MACE_ASSIGN_OR_RETURN(p.y, OutputRangeOf(node, attrs));
  const Scaling scaling = ScalingOf(node);
  MACE_RETURN_IF_ERROR(CheckSize(
      node, w[0] <= kMaxChannels && w[1] <= kMaxChannels &&
                w[1] <= kMaxConvDepth - 8 &&
                AreInRange(scaling.factors, target.fc_rounds_once ? 16 : 31)));
  *macs = SaturatedProduct({rows, w[0], w[1]});
  if (target.writer == nullptr) return Status();
  p.batch = 1;
  p.groups = 1;
  p.in_per_group = static_cast<int32_t>(w[1]);
  p.out_per_group = static_cast<int32_t>(w[0]);
  p.x_zero_point = scaling.x_zero_point;
  p.is_signed = IsSigned(node.inputs[0].type);
  p.rounds_once = target.fc_rounds_once ? 1 : 0;
  MACE_ASSIGN_OR_RETURN(PackedFilter packed,
                        PackFilter(FilterOf(node, w[0], w[1], 1), 1, scaling));
  AddConv(target.inputs[0], target.output, p, std::move(packed), target.writer);
  return Status();
}

namespace {

// The window of a convolution that reads the input of a transposed one, spread
// out: `stride` - 1 zeros behind each value but the last.
Window OfSpread(const Window& w) {
  Window spread;
  spread.in = (w.in - 1) * w.stride + 1;
  spread.out = w.out;
  spread.kernel = w.kernel;
  spread.dilation = w.dilation;
  spread.pad_before = w.extent() - 1 - w.pad_before;
  return spread;
}

// The input of `node` with zeros in between; itself if there are none. -1
// without a writer.
Result<int> Spread(const Node& node, const Window2D& window,
                   const Target& target) {
  const Window &h = window.h, &w = window.w;
  const bool is_there = target.writer != nullptr;
  if (h.stride == 1 && w.stride == 1) return is_there ? target.inputs[0] : -1;
  const Shape& x = node.inputs[0].type.shape;
  const Shape y = {x[0], OfSpread(h).in, OfSpread(w).in, x[3]};
  const int64_t bytes = NumElements(y);
  const std::vector<int64_t> strides = StridesOf(y);
  const MoveBox box = {
      x,
      StridesOf(x),
      {strides[0], strides[1] * h.stride, strides[2] * w.stride, strides[3]},
      0,
      0};
  MACE_ASSIGN_OR_RETURN(const MoveParams move, ToMove(node, box));
  if (!is_there) return -1;
  const int spread = target.writer->AddInner(bytes);
  const FillParams fill = {0, static_cast<int32_t>(bytes),
                           node.inputs[0].type.quantization->zero_point()};
  target.writer->AddNode(kFill, {spread}, fill);
  target.writer->AddNode(kMove, {target.inputs[0], spread}, move);
  return spread;
}

}  // namespace

// A convolution of the input, spread out, with the filter's taps backwards.
Status TranslateDeconv2d(const Node& node, const Target& target,
                         int64_t* macs) {
  MACE_RETURN_IF_ERROR(CheckFilter(node));
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<Deconv2dAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const Window2D window, Deconv2dWindow(node, attrs));
  const Shape &x = node.inputs[0].type.shape, &w = node.inputs[1].type.shape;
  ConvParams p = {};
  MACE_ASSIGN_OR_RETURN(p.h, ToParams(node, OfSpread(window.h)));
  MACE_ASSIGN_OR_RETURN(p.w, ToParams(node, OfSpread(window.w)));
  MACE_ASSIGN_OR_RETURN(p.y, OutputRangeOf(node, attrs));
  const int64_t taps = w[2] * w[3];
  const int64_t spread_bytes = SaturatedProduct(
      {x[0], OfSpread(window.h).in, OfSpread(window.w).in, x[3]});
  const Scaling scaling = ScalingOf(node);
  MACE_RETURN_IF_ERROR(CheckSize(
      node, x[0] <= kMaxChannels && x[3] <= kMaxChannels &&
                w[0] <= kMaxChannels && taps * w[1] <= kMaxConvDepth - 8 &&
                spread_bytes < int64_t{1} << 28 &&
                AreInRange(scaling.factors)));
  *macs = SaturatedProduct({x[0], window.h.in, window.w.in, w[0], taps, w[1]});
  MACE_ASSIGN_OR_RETURN(const int spread, Spread(node, window, target));
  if (target.writer == nullptr) return Status();
  p.batch = static_cast<int32_t>(x[0]);
  p.groups = static_cast<int32_t>(attrs.group);
  p.in_per_group = static_cast<int32_t>(w[1]);
  p.out_per_group = static_cast<int32_t>(w[0] / attrs.group);
  p.x_zero_point = scaling.x_zero_point;
  p.is_signed = IsSigned(node.inputs[0].type);
  QuantizedFilter values = FilterOf(node, w[0], w[1], taps);
  values.data = static_cast<const uint8_t*>(values.data) + taps - 1;
  values.tap_stride = -1;
  MACE_ASSIGN_OR_RETURN(PackedFilter packed,
                        PackFilter(values, attrs.group, scaling));
  AddConv(spread, target.output, p, std::move(packed), target.writer);
  return Status();
}

}  // namespace mace::hexagon
