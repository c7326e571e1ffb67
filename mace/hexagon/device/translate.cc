// The table of translators.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/device/translate.h"

namespace mace::hexagon {
namespace {

struct Entry {
  const char* op;
  Translator* translate;
  bool has_one_output = true;
  bool keeps_type = true;
};
constexpr Entry kTranslators[] = {
    {"Activation", TranslateLookup},
    {"ChannelShuffle", TranslateChannelShuffle},
    {"Clip", TranslateLookup},
    {"Concat", TranslateConcat},
    {"Conv2d", TranslateConv2d},
    {"Deconv2d", TranslateDeconv2d},
    {"DepthToSpace", TranslateDepthToSpace},
    {"DepthwiseConv2d", TranslateDepthwiseConv2d},
    {"Eltwise", TranslateEltwise},
    {"ExpandDims", TranslateReshape},
    {"Flatten", TranslateReshape},
    {"FullyConnected", TranslateFullyConnected},
    {"Identity", TranslateReshape},
    {"Pad", TranslatePad},
    {"Pooling", TranslatePooling},
    {"Quantize", TranslateLookup, true, false},
    {"Reduce", TranslateReduce},
    {"Reshape", TranslateReshape},
    {"Resize", TranslateResize},
    {"Slice", TranslateSlice},
    {"Softmax", TranslateSoftmax},
    {"SpaceToDepth", TranslateSpaceToDepth},
    {"Split", TranslateSplit, false},
    {"Squeeze", TranslateReshape},
    {"Stack", TranslateStack},
    {"StridedSlice", TranslateStridedSlice},
    {"Transpose", TranslateTranspose},
    {"Unary", TranslateLookup},
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
    if ((entry.has_one_output && node.outputs.size() != 1) ||
        node.outputs.empty() || !node.has_input(0)) {
      break;
    }
    MACE_RETURN_IF_ERROR(CheckCodes(node, "input", node.inputs[0].type));
    for (const TensorType& y : node.outputs) {
      MACE_RETURN_IF_ERROR(CheckCodes(node, "output", y));
      if (entry.keeps_type && node.inputs[0].type.dtype != y.dtype) {
        return Unsupported(Label(node), ": the DSP computes it in one type, ",
                           "not from ", Name(node.inputs[0].type.dtype), " to ",
                           Name(y.dtype));
      }
    }
    return entry.translate(node, target, macs);
  }
  return Unsupported(Label(node), ": the DSP has no such op");
}

}  // namespace mace::hexagon
