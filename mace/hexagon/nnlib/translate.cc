// The table of translators to hexagon_nn, and what they share.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/nnlib/translate.h"

#include <algorithm>
#include <utility>

namespace mace::hexagon::nnlib {
namespace {

struct TranslateEntry {
  const char* op;
  Translator* translate;
  size_t num_activations = 1;  // of its first inputs
};
constexpr size_t kAll = ~size_t{0};
constexpr TranslateEntry kTranslators[] = {
    {"Activation", TranslateActivation},
    {"Concat", TranslateConcat, kAll},
    {"Conv2d", TranslateConv2d},
    {"DepthToSpace", TranslateDepthToSpace},
    {"DepthwiseConv2d", TranslateDepthwiseConv2d},
    {"Eltwise", TranslateEltwise, 2},
    {"ExpandDims", TranslateReshape},
    {"Flatten", TranslateReshape},
    {"FullyConnected", TranslateFullyConnected},
    {"Identity", TranslateReshape},
    {"Pad", TranslatePad},
    {"Pooling", TranslatePooling},
    {"Quantize", TranslateRequantize},
    {"Reduce", TranslateReduce},
    {"Reshape", TranslateReshape},
    {"Resize", TranslateResize},
    {"Softmax", TranslateSoftmax},
    {"SpaceToDepth", TranslateSpaceToDepth},
    {"Squeeze", TranslateReshape},
    {"Transpose", TranslateTranspose},
};

const TranslateEntry* FindEntry(const Node& node) {
  for (const TranslateEntry& entry : kTranslators) {
    if (node.op == entry.op) return &entry;
  }
  return nullptr;
}

Status CheckQuantized(const Node& node, const char* what,
                      const TensorType& type) {
  const bool is_8_bit =
      type.dtype == DataType::kI8 || type.dtype == DataType::kU8;
  // hexagon_nn widens smaller ranges.
  constexpr float kMinRange = 1e-8f;
  if (!is_8_bit || !type.is_quantized() || type.quantization->is_per_axis() ||
      NumElements(type.shape) == 0 ||
      !(type.quantization->scale() * 255 >= kMinRange)) {
    return Unsupported(
        Label(node), ": the vendor's library runs int8 and uint8 ",
        "tensors with one scale (quantized per tensor), not the ", what, ", ",
        ToString(type));
  }
  return ToShape4(node, type.shape).status();
}

bool Fits(const Window& window, NnPadding padding) {
  if (window.dilation != 1 && window.kernel != 1) return false;
  if (padding == kPadValid) {
    return window.pad_before == 0 && window.in >= window.kernel &&
           window.out == (window.in - window.kernel) / window.stride + 1;
  }
  const int64_t out = (window.in + window.stride - 1) / window.stride;
  const int64_t total = std::max<int64_t>(
      0, (out - 1) * window.stride + window.kernel - window.in);
  const int64_t before = padding == kPadSame ? total / 2 : (total + 1) / 2;
  return window.out == out && window.pad_before == before;
}

}  // namespace

bool IsActivation(const Node& node, size_t i) {
  const TranslateEntry* const entry = FindEntry(node);
  return entry != nullptr && i < entry->num_activations;
}

Status Translate(const Node& node, Target* target, int64_t* macs) {
  const TranslateEntry* const entry = FindEntry(node);
  if (entry == nullptr || node.outputs.size() != 1 || !node.has_input(0)) {
    return Unsupported(Label(node), ": MACE knows no operation of the ",
                       "vendor's library for it");
  }
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!IsActivation(node, i) || !node.has_input(i)) continue;
    MACE_RETURN_IF_ERROR(CheckQuantized(node, "input", node.inputs[i].type));
  }
  MACE_RETURN_IF_ERROR(CheckQuantized(node, "output", node.outputs[0]));
  return entry->translate(node, target, macs);
}

NnPadding PaddingOf(const Window2D& window) {
  for (const NnPadding padding : {kPadValid, kPadSame, kPadSameCaffe}) {
    if (Fits(window.h, padding) && Fits(window.w, padding)) return padding;
  }
  return kPadNone;
}

std::vector<NnInput> RangeConsts(const TensorType& type, GraphBuilder* graph) {
  const Range range = RangeOf(type);
  const NnInput min = graph->Scalar(range.min);
  return {min, graph->Scalar(range.max)};
}

QuantTensor InRangeOf(const TensorType& from, const TensorType& to,
                      const QuantTensor& x, GraphBuilder* graph) {
  const Range a = RangeOf(from), b = RangeOf(to);
  if (a.min == b.min && a.max == b.max) return x;
  const std::vector<NnInput> range = RangeConsts(to, graph);
  return graph->AddQuantized(
      kOpRequantize8, {x.data, x.min, x.max, range[0], range[1]}, x.shape);
}

QuantTensor InShape(const Shape4& shape, const QuantTensor& x,
                    GraphBuilder* graph) {
  if (shape.b == x.shape.b && shape.h == x.shape.h && shape.w == x.shape.w &&
      shape.d == x.shape.d) {
    return x;
  }
  const NnInput extents = graph->Ints(
      {static_cast<int32_t>(shape.b), static_cast<int32_t>(shape.h),
       static_cast<int32_t>(shape.w), static_cast<int32_t>(shape.d)});
  return graph->AddQuantized(kOpReshape, {x.data, extents, x.min, x.max},
                             shape);
}

Result<ActivationKind> LimitOf(const Node& node,
                               const ActivationAttrs& activation) {
  MACE_ASSIGN_OR_RETURN(const ActivationKind kind,
                        ParseActivation(node, activation));
  if (kind == ActivationKind::kNoop || kind == ActivationKind::kRelu ||
      (kind == ActivationKind::kRelux && activation.max_limit >= 0)) {
    return kind;
  }
  return Unsupported(Label(node), ": with a node, the vendor's library ",
                     "computes the activations NOOP, RELU and RELUX, not ",
                     activation.activation);
}

QuantTensor Limited(ActivationKind kind, const ActivationAttrs& activation,
                    const TensorType& y, const QuantTensor& x,
                    GraphBuilder* graph) {
  if (kind == ActivationKind::kNoop) return x;
  const Range range = RangeOf(y);
  float most = range.max;
  if (kind == ActivationKind::kRelux) {
    most = std::min(most, activation.max_limit);
  }
  if (range.min == 0 && most == range.max) return x;
  const NnInput low = graph->Scalar(0);
  const NnInput high = graph->Scalar(most);
  return graph->AddQuantized(kOpClamp, {x.data, x.min, x.max, low, high},
                             x.shape);
}

}  // namespace mace::hexagon::nnlib
