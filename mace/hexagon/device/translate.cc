// The table of translators.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/device/translate.h"

namespace mace::hexagon {
namespace {

// Which tensors of a node are quantized values.
enum class Types {
  kOne,  // input 0 and all outputs, of one type
  kOwn,  // the translator checks them
};

struct Entry {
  const char* op;
  Translator* translate;
  // Inputs from this one on are no tensors of the DSP's graph: they are packed
  // by the translator, or decide shapes.
  size_t tensors = 1;
  bool has_one_output = true;
  Types types = Types::kOne;
};
constexpr size_t kAll = ~size_t{0};
constexpr Entry kTranslators[] = {
    {"Activation", TranslateLookup},
    {"ArgMax", TranslateArgMax, 1, true, Types::kOwn},
    {"BatchToSpaceNd", TranslateBatchToSpace},
    {"ChannelShuffle", TranslateChannelShuffle},
    {"Clip", TranslateLookup},
    {"Concat", TranslateConcat, kAll},
    {"Conv2d", TranslateConv2d},
    {"Deconv2d", TranslateDeconv2d},
    {"DepthToSpace", TranslateDepthToSpace},
    {"DepthwiseConv2d", TranslateDepthwiseConv2d},
    {"Dequantize", TranslateDequantize, 1, true, Types::kOwn},
    {"Eltwise", TranslateEltwise, kAll},
    {"Expand", TranslateExpand},
    {"ExpandDims", TranslateReshape},
    {"Flatten", TranslateReshape},
    {"FullyConnected", TranslateFullyConnected},
    {"Gather", TranslateGather},
    {"Identity", TranslateReshape},
    {"MatMul", TranslateMatMul, kAll},
    {"PRelu", TranslatePRelu, kAll},
    {"Pad", TranslatePad},
    {"Pooling", TranslatePooling},
    {"Quantize", TranslateQuantize, 1, true, Types::kOwn},
    {"Reduce", TranslateReduce},
    {"Reshape", TranslateReshape},
    {"Resize", TranslateResize},
    {"Slice", TranslateSlice},
    {"Softmax", TranslateSoftmax},
    {"SpaceToBatchNd", TranslateSpaceToBatch},
    {"SpaceToDepth", TranslateSpaceToDepth},
    {"Split", TranslateSplit, 1, false},
    {"Squeeze", TranslateReshape},
    {"Stack", TranslateStack, kAll},
    {"StridedSlice", TranslateStridedSlice},
    {"Tile", TranslateTile},
    {"Transpose", TranslateTranspose},
    {"Unary", TranslateLookup},
    {"Unstack", TranslateUnstack, 1, false},
};

const Entry* Find(const Node& node) {
  for (const Entry& entry : kTranslators) {
    if (node.op == entry.op) return &entry;
  }
  return nullptr;
}

}  // namespace

Status CheckQuantized(const Node& node, const char* what,
                      const TensorType& type) {
  const bool is_8_bit =
      type.dtype == DataType::kI8 || type.dtype == DataType::kU8;
  const int64_t n = NumElements(type.shape);
  if (is_8_bit && type.is_quantized() && !type.quantization->is_per_axis() &&
      n > 0 && n <= kMaxElements) {
    return Status();
  }
  return Unsupported(
      Label(node), ": the DSP runs int8 and uint8 tensors with one scale ",
      "(quantized per tensor), not the ", what, ", ", ToString(type));
}

bool IsView(const Node& node) {
  const Entry* entry = Find(node);
  return entry != nullptr && entry->translate == TranslateReshape;
}

bool ReadsTensor(const Node& node, size_t input) {
  const Entry* entry = Find(node);
  return entry != nullptr && input < entry->tensors;
}

Status Translate(const Node& node, const Target& target, int64_t* macs) {
  const Entry* entry = Find(node);
  if (entry == nullptr || node.outputs.empty() || !node.has_input(0) ||
      (entry->has_one_output && node.outputs.size() != 1)) {
    return Unsupported(Label(node), ": the DSP has no such op");
  }
  if (entry->types == Types::kOwn) return entry->translate(node, target, macs);
  MACE_RETURN_IF_ERROR(CheckQuantized(node, "input", node.inputs[0].type));
  for (const TensorType& y : node.outputs) {
    MACE_RETURN_IF_ERROR(CheckQuantized(node, "output", y));
    if (node.inputs[0].type.dtype != y.dtype) {
      return Unsupported(Label(node), ": the DSP computes it in one type, ",
                         "not from ", Name(node.inputs[0].type.dtype), " to ",
                         Name(y.dtype));
    }
  }
  return entry->translate(node, target, macs);
}

}  // namespace mace::hexagon
