// The table of translators.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/device/translate.h"

namespace mace::hexagon {
namespace {

struct Entry {
  const char* op;
  Translator* translate;
};
constexpr Entry kTranslators[] = {
    {"Concat", TranslateConcat},
    {"Conv2d", TranslateConv2d},
    {"DepthwiseConv2d", TranslateDepthwiseConv2d},
    {"Eltwise", TranslateEltwise},
    {"ExpandDims", TranslateReshape},
    {"Flatten", TranslateReshape},
    {"FullyConnected", TranslateFullyConnected},
    {"Identity", TranslateReshape},
    {"Pooling", TranslatePooling},
    {"Reshape", TranslateReshape},
    {"Softmax", TranslateSoftmax},
    {"Squeeze", TranslateReshape},
};

constexpr int64_t kMostElements = int64_t{1} << 28;

Status CheckCodes(const Node& node, const char* what, const TensorType& type) {
  const bool is_8_bit =
      type.dtype == DataType::kI8 || type.dtype == DataType::kU8;
  const int64_t n = NumElements(type.shape);
  if (is_8_bit && type.is_quantized() && !type.quantization->is_per_axis() &&
      n > 0 && n <= kMostElements) {
    return Status();
  }
  return Unsupported(Label(node), ": the DSP computes with 8-bit codes of one ",
                     "scale, not with the ", what, ", ", ToString(type));
}

}  // namespace

bool IsView(const Node& node) {
  for (const Entry& entry : kTranslators) {
    if (node.op == entry.op) return entry.translate == TranslateReshape;
  }
  return false;
}

Status Translate(const Node& node, const Target& target, int64_t* macs) {
  for (const Entry& entry : kTranslators) {
    if (node.op != entry.op) continue;
    if (node.outputs.size() != 1 || !node.has_input(0)) break;
    MACE_RETURN_IF_ERROR(CheckCodes(node, "input", node.inputs[0].type));
    MACE_RETURN_IF_ERROR(CheckCodes(node, "output", node.outputs[0]));
    if (node.inputs[0].type.dtype != node.outputs[0].dtype) break;
    return entry.translate(node, target, macs);
  }
  return Unsupported(Label(node), ": the DSP has no such op");
}

}  // namespace mace::hexagon
