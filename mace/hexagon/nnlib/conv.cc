// Conv2d, DepthwiseConv2d and FullyConnected by Supernode_8x8p32to8 and
// DepthwiseSupernode_8x8p32to8.
// SPDX-License-Identifier: Apache-2.0
//
// Source: docs/ops.txt of nnlib (inputs and their order), and
// docs/per_channel_quantization.txt (filters with a scale for each channel).

#include <algorithm>
#include <cmath>
#include <utility>

#include "mace/graph/attrs.h"
#include "mace/hexagon/nnlib/translate.h"
#include "mace/ops/conv2d.h"
#include "mace/ops/depthwise_conv2d.h"
#include "mace/ops/fully_connected.h"

namespace mace::hexagon::nnlib {
namespace {

// Of the scales of channels: the library takes no smaller part of the largest.
constexpr float kMinPart = 1.0f / 1024;
constexpr double kHalf32 = 2147483648.0;  // 2^31

// A filter whose element (output, input, tap) is at output * output_step +
// input * input_step + tap; `channel` of its scales is the output, or the
// input if it is depthwise.
struct Filter {
  int64_t outputs = 0, inputs = 0, taps_h = 1, taps_w = 1;
  bool depthwise = false;

  int64_t channels() const { return depthwise ? inputs : outputs; }
};

Status CheckFilter(const Node& node) {
  const Operand& w = node.inputs[1];
  const bool has_bias = node.has_input(2);
  const Quantization* const q = w.type.quantization.get();
  const bool is_8_bit =
      w.type.dtype == DataType::kI8 || w.type.dtype == DataType::kU8;
  if (w.data == nullptr || !is_8_bit || q == nullptr ||
      (has_bias && (node.inputs[2].data == nullptr ||
                    node.inputs[2].type.dtype != DataType::kI32))) {
    return Unsupported(Label(node), ": the vendor's library takes constant ",
                       "filters and biases of 8 and 32 bits");
  }
  const bool is_symmetric =
      std::all_of(q->zero_points.begin(), q->zero_points.end(),
                  [](int32_t zero) { return zero == 0; });
  if (q->is_per_axis() && (w.type.dtype != DataType::kI8 || !is_symmetric)) {
    return Unsupported(Label(node), ": the vendor's library takes scales for ",
                       "each channel for int8 with the zero point 0");
  }
  return Status();
}

// The scale that the library uses for a channel's quantized values.
float UsedScale(const Quantization& q, size_t channel, float largest) {
  return q.is_per_axis() ? std::max(q.scales[channel], largest * kMinPart)
                         : q.scale();
}

float Largest(const Quantization& q) {
  return *std::max_element(q.scales.begin(), q.scales.end());
}

// The quantized value of a filter, moved by 128 if it has a sign. That of a
// channel whose scale is below the least is rounded to the least.
uint8_t FilterByte(const Operand& w, int64_t at, float ratio) {
  if (w.type.dtype == DataType::kU8) {
    return static_cast<const uint8_t*>(w.data)[at];
  }
  const auto value = static_cast<const int8_t*>(w.data)[at];
  if (ratio == 1) return static_cast<uint8_t>(value + 128);
  const float rounded = std::round(static_cast<float>(value) * ratio);
  return static_cast<uint8_t>(static_cast<int>(rounded) + 128);
}

// [taps_h, taps_w, inputs, outputs], or [taps_h, taps_w, inputs, 1].
NnInput FilterConst(const Node& node, const Filter& f, GraphBuilder* graph) {
  const Operand& w = node.inputs[1];
  const Quantization& q = *w.type.quantization;
  const float largest = Largest(q);
  std::vector<float> ratios;
  for (int64_t c = 0; c < f.channels(); ++c) {
    const float own = q.is_per_axis() ? q.scales[static_cast<size_t>(c)] : 1;
    const float used = UsedScale(q, static_cast<size_t>(c), largest);
    ratios.push_back(q.is_per_axis() ? own / used : 1);
  }
  const int64_t outputs = f.depthwise ? 1 : f.outputs;
  const int64_t taps = f.taps_h * f.taps_w;
  std::vector<uint8_t> values(static_cast<size_t>(taps * f.inputs * outputs));
  size_t i = 0;
  for (int64_t tap = 0; tap < taps; ++tap) {
    for (int64_t in = 0; in < f.inputs; ++in) {
      for (int64_t out = 0; out < outputs; ++out) {
        const int64_t channel = f.depthwise ? in : out;
        values[i++] = FilterByte(w, (out * f.inputs + in) * taps + tap,
                                 ratios[static_cast<size_t>(channel)]);
      }
    }
  }
  const Shape4 shape = {
      static_cast<uint32_t>(f.taps_h), static_cast<uint32_t>(f.taps_w),
      static_cast<uint32_t>(f.inputs), static_cast<uint32_t>(outputs)};
  return graph->Const(shape, values.data(), values.size());
}

// The bias, its min and its max. One scale: as it is. Scales for each channel:
// rounded to 2^-28 of the largest.
std::vector<NnInput> BiasConsts(const Node& node, int64_t channels,
                                GraphBuilder* graph) {
  const auto n = static_cast<size_t>(channels);
  const Quantization& q = *node.inputs[1].type.quantization;
  const double x_scale = node.inputs[0].type.quantization->scale();
  const auto* const given =
      node.has_input(2) ? static_cast<const int32_t*>(node.inputs[2].data)
                        : nullptr;
  std::vector<int32_t> bias(n, 0);
  double most = x_scale * q.scale() * kHalf32;
  if (given != nullptr && !q.is_per_axis()) bias.assign(given, given + n);
  if (given != nullptr && q.is_per_axis()) {
    double largest = 0;
    for (size_t c = 0; c < n; ++c) {
      largest = std::max(largest, std::abs(given[c] * x_scale * q.scales[c]));
    }
    if (largest > 0) most = 8 * largest;
    for (size_t c = 0; c < n; ++c) {
      const double real = given[c] * x_scale * q.scales[c];
      bias[c] = static_cast<int32_t>(std::round(real * kHalf32 / most));
    }
  }
  const Shape4 shape = {1, 1, 1, static_cast<uint32_t>(n)};
  const NnInput data = graph->Const(shape, bias.data(), n * sizeof(int32_t));
  const NnInput min = graph->Scalar(static_cast<float>(-most));
  return {data, min, graph->Scalar(static_cast<float>(most))};
}

// The 12 inputs of a supernode, and the 13th for scales of channels.
std::vector<NnInput> SupernodeInputs(const Node& node, const QuantTensor& x,
                                     const Filter& f, const Window2D& window,
                                     GraphBuilder* graph) {
  const Quantization& q = *node.inputs[1].type.quantization;
  const float largest = Largest(q);
  const bool is_signed = node.inputs[1].type.dtype == DataType::kI8;
  const auto zero = static_cast<float>(q.zero_point() + (is_signed ? 128 : 0));
  const NnInput filter = FilterConst(node, f, graph);
  const NnInput w_min = graph->Scalar(largest * (0 - zero));
  const NnInput w_max = graph->Scalar(largest * (255 - zero));
  const NnInput strides =
      graph->Sizes(1, static_cast<uint32_t>(window.h.stride),
                   static_cast<uint32_t>(window.w.stride), 1);
  const std::vector<NnInput> bias = BiasConsts(node, f.channels(), graph);
  const std::vector<NnInput> y = RangeConsts(node.outputs[0], graph);
  std::vector<NnInput> inputs = {x.data,  filter,  x.min,   x.max,
                                 w_min,   w_max,   strides, bias[0],
                                 bias[1], bias[2], y[0],    y[1]};
  if (!q.is_per_axis()) return inputs;
  std::vector<float> parts;
  for (size_t c = 0; c < q.scales.size(); ++c) {
    parts.push_back(UsedScale(q, c, largest) / largest);
  }
  const Shape4 shape = {1, 1, 1, static_cast<uint32_t>(parts.size())};
  inputs.push_back(
      graph->Const(shape, parts.data(), parts.size() * sizeof(float)));
  return inputs;
}

// How many zeros behind the input a window without SAME or VALID reads.
int64_t ZerosBehind(const Window& window) {
  return std::max<int64_t>(0, (window.out - 1) * window.stride + window.kernel -
                                  window.in - window.pad_before);
}

// Whether the window is VALID after padding with zeros.
bool IsPaddable(const Window& window) {
  const int64_t padded = window.in + window.pad_before + ZerosBehind(window);
  return window.pad_before >= 0 &&
         (window.dilation == 1 || window.kernel == 1) &&
         (padded - window.kernel) / window.stride + 1 == window.out;
}

// `x` with zeros around it, for windows that are neither SAME nor VALID.
QuantTensor Padded(const QuantTensor& x, const Window2D& window,
                   GraphBuilder* graph) {
  const std::vector<int32_t> pads = {
      0,
      0,
      static_cast<int32_t>(window.h.pad_before),
      static_cast<int32_t>(ZerosBehind(window.h)),
      static_cast<int32_t>(window.w.pad_before),
      static_cast<int32_t>(ZerosBehind(window.w)),
      0,
      0};
  const NnInput list =
      graph->Const({1, 1, 4, 2}, pads.data(), pads.size() * sizeof(int32_t));
  const NnInput zero = graph->Scalar(0);
  Shape4 shape = x.shape;
  shape.h += static_cast<uint32_t>(pads[2] + pads[3]);
  shape.w += static_cast<uint32_t>(pads[4] + pads[5]);
  return graph->AddQuantized(kOpPad, {x.data, x.min, x.max, list, zero}, shape);
}

Status AddConv(const Node& node, const ActivationAttrs& activation,
               const Filter& f, const Window2D& window, Target* target) {
  MACE_ASSIGN_OR_RETURN(const ActivationKind kind, LimitOf(node, activation));
  const NnPadding padding = PaddingOf(window);
  if (padding == kPadNone && !(IsPaddable(window.h) && IsPaddable(window.w))) {
    return Unsupported(Label(node), ": the vendor's library has no dilation, ",
                       "and no such windows");
  }
  const TensorType& y = node.outputs[0];
  MACE_ASSIGN_OR_RETURN(const Shape4 shape, ToShape4(node, y.shape));
  if (padding == kPadNone) {
    Shape padded = node.inputs[0].type.shape;
    padded[1] += window.h.pad_before + ZerosBehind(window.h);
    padded[2] += window.w.pad_before + ZerosBehind(window.w);
    MACE_RETURN_IF_ERROR(ToShape4(node, padded).status());
  }
  if (target->graph == nullptr) return Status();
  GraphBuilder* const graph = target->graph;
  QuantTensor x = target->inputs[0];
  if (padding == kPadNone) x = Padded(x, window, graph);
  const QuantTensor sums =
      graph->AddQuantized(f.depthwise ? kOpDepthwise : kOpConv,
                          SupernodeInputs(node, x, f, window, graph), shape,
                          padding == kPadNone ? kPadValid : padding);
  target->output = Limited(kind, activation, y, sums, graph);
  return Status();
}

}  // namespace

Status TranslateConv2d(const Node& node, Target* target, int64_t* macs) {
  MACE_RETURN_IF_ERROR(CheckFilter(node));
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<Conv2dAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const Window2D window, Conv2dWindow(node, attrs));
  const Shape &x = node.inputs[0].type.shape, &w = node.inputs[1].type.shape;
  if (attrs.group != 1) {
    return Unsupported(Label(node), ": MACE uses the vendor's library for ",
                       "convolutions of one group, not ", attrs.group);
  }
  *macs = SaturatedProduct(
      {x[0], window.h.out, window.w.out, w[0], w[1], w[2], w[3]});
  return AddConv(node, attrs, {w[0], w[1], w[2], w[3], false}, window, target);
}

Status TranslateDepthwiseConv2d(const Node& node, Target* target,
                                int64_t* macs) {
  MACE_RETURN_IF_ERROR(CheckFilter(node));
  MACE_ASSIGN_OR_RETURN(const auto attrs,
                        ReadAttrs<DepthwiseConv2dAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const Window2D window,
                        DepthwiseConv2dWindow(node, attrs));
  const Shape &x = node.inputs[0].type.shape, &w = node.inputs[1].type.shape;
  if (w[0] != 1) {
    return Unsupported(Label(node), ": MACE uses the vendor's library for one ",
                       "output for each channel, not ", w[0]);
  }
  const int64_t side = std::max(w[2], w[3]);
  const int64_t stride = std::max(window.h.stride, window.w.stride);
  // Source: issues 54481 and 62600 of TensorFlow.
  if (node.inputs[1].type.quantization->is_per_axis() &&
      (side >= 7 || (side >= 5 && stride >= 2))) {
    return Unsupported(Label(node), ": the vendor's library is known to ",
                       "compute such large windows with a scale for each ",
                       "channel wrongly");
  }
  *macs =
      SaturatedProduct({x[0], window.h.out, window.w.out, x[3], w[2], w[3]});
  return AddConv(node, attrs, {x[3], x[3], w[2], w[3], true}, window, target);
}

// A convolution of an image with one row of pixels.
Status TranslateFullyConnected(const Node& node, Target* target,
                               int64_t* macs) {
  MACE_RETURN_IF_ERROR(CheckFilter(node));
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<FullyConnectedAttrs>(node));
  const Shape& w = node.inputs[1].type.shape;
  const int64_t rows = NumElements(node.outputs[0].shape) / w[0];
  *macs = SaturatedProduct({rows, w[0], w[1]});
  Node row = node;
  row.outputs[0].shape = {1, 1, rows, w[0]};
  Window2D window;
  window.w.in = window.w.out = rows;
  Target inner;
  inner.graph = target->graph;
  if (inner.graph != nullptr) {
    const Shape4 x = {1, 1, static_cast<uint32_t>(rows),
                      static_cast<uint32_t>(w[1])};
    inner.inputs = {InShape(x, target->inputs[0], inner.graph)};
  }
  MACE_RETURN_IF_ERROR(
      AddConv(row, attrs, {w[0], w[1], 1, 1, false}, window, &inner));
  MACE_ASSIGN_OR_RETURN(const Shape4 y, ToShape4(node, node.outputs[0].shape));
  if (inner.graph == nullptr) return Status();
  target->output = InShape(y, inner.output, inner.graph);
  return Status();
}

}  // namespace mace::hexagon::nnlib
