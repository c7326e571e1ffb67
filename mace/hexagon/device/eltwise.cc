// Eltwise: sums, differences, their squares, products, minima and maxima;
// PRelu.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/eltwise.h"

#include <algorithm>

#include "mace/graph/attrs.h"
#include "mace/hexagon/device/ranges.h"
#include "mace/hexagon/device/translate.h"
#include "mace/hexagon/packing/filters.h"

namespace mace::hexagon {
namespace {

Result<BinaryKind> KindOf(const Node& node, const EltwiseAttrs& attrs) {
  MACE_ASSIGN_OR_RETURN(const EltwiseType type, ParseEltwiseType(node, attrs));
  switch (type) {
    case EltwiseType::kSum:
      return kAdd;
    case EltwiseType::kSub:
      return kSub;
    case EltwiseType::kProd:
      return kMul;
    case EltwiseType::kMin:
      return kMin;
    case EltwiseType::kMax:
      return kMax;
    case EltwiseType::kSqrDiff:
      return kSqrDiff;
    default:
      return Unsupported(Label(node),
                         ": the DSP computes SUM, SUB, PROD, SQR_DIFF, MIN "
                         "and MAX, not ",
                         attrs.type);
  }
}

// Strides of an operand that is broadcast to `shape`, of at most 4 axes.
void SetStrides(const Shape& shape, const Shape& operand, int32_t* strides) {
  int32_t stride = 1;
  for (int i = 3; i >= 0; --i) strides[i] = 0;
  const auto missing = static_cast<int64_t>(shape.size() - operand.size());
  const auto first = static_cast<int64_t>(4 - shape.size());
  for (auto i = static_cast<int64_t>(shape.size()) - 1; i >= missing; --i) {
    const int64_t n = operand[i - missing];
    strides[first + i] = n == 1 ? 0 : stride;
    stride *= static_cast<int32_t>(n);
  }
}

Status CheckOperands(const Node& node) {
  const TensorType& y = node.outputs[0];
  if (node.has_input(1) && y.rank() <= 4 &&
      node.inputs[1].type.dtype == y.dtype) {
    return CheckQuantized(node, "input 1", node.inputs[1].type);
  }
  return Unsupported(Label(node),
                     ": the DSP takes two 8-bit tensors of at "
                     "most 4 dimensions");
}

// `p` has the kind, the factors and the output's quantized values.
Status AddBinary(const Node& node, BinaryParams p, const Target& target) {
  if (!AreInRange({p.a, p.b, p.scale})) {
    return Unsupported(Label(node), ": the scales are too far apart");
  }
  if (target.writer == nullptr) return Status();
  const TensorType& y = node.outputs[0];
  p.a_zero_point = node.inputs[0].type.quantization->zero_point();
  p.b_zero_point = node.inputs[1].type.quantization->zero_point();
  p.is_signed = IsSigned(y);
  for (int i = 0; i < 4; ++i) {
    const int axis = i - (4 - y.rank());
    p.extents[i] = axis < 0 ? 1 : static_cast<int32_t>(y.shape[axis]);
  }
  SetStrides(y.shape, node.inputs[0].type.shape, p.a_strides);
  SetStrides(y.shape, node.inputs[1].type.shape, p.b_strides);
  target.writer->AddNode(
      kBinary, {target.inputs[0], target.inputs[1], target.output}, p);
  return Status();
}

}  // namespace

Status TranslateEltwise(const Node& node, const Target& target,
                        int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<EltwiseAttrs>(node));
  MACE_RETURN_IF_ERROR(CheckOperands(node));
  BinaryParams p = {};
  MACE_ASSIGN_OR_RETURN(p.kind, KindOf(node, attrs));
  MACE_ASSIGN_OR_RETURN(p.y, OutputRangeOf(node, attrs));
  const Quantization& a = *node.inputs[0].type.quantization;
  const Quantization& b = *node.inputs[1].type.quantization;
  const Quantization& out = *node.outputs[0].quantization;
  if (p.kind == kMin || p.kind == kMax) {
    if (!(a == b && a == out)) {
      return Unsupported(Label(node), ": a, b and y must be quantized alike");
    }
  } else if (p.kind == kMul) {
    p.scale = ToFixed(a.scale() * b.scale() / out.scale());
  } else {
    const double unit = 2 * double{std::max(a.scale(), b.scale())};
    p.a = ToFixed(a.scale() / unit);
    p.b = ToFixed(b.scale() / unit);
    p.scale =
        p.kind == kSqrDiff
            ? ToFixed(unit * unit /
                      (double{1 << (2 * kBinaryDifferenceBits)} * out.scale()))
            : ToFixed(unit / (double{1 << kBinarySumBits} * out.scale()));
  }
  return AddBinary(node, p, target);
}

Status TranslatePRelu(const Node& node, const Target& target,
                      int64_t* /*macs*/) {
  MACE_RETURN_IF_ERROR(CheckOperands(node));
  const float x = node.inputs[0].type.quantization->scale();
  const float alpha = node.inputs[1].type.quantization->scale();
  const TensorType& y = node.outputs[0];
  const int32_t least = IsSigned(y) != 0 ? -128 : 0;
  BinaryParams p = {};
  p.kind = kPRelu;
  p.a = ToFixed(x / y.quantization->scale());
  p.scale = ToFixed(x * alpha / y.quantization->scale());
  p.y = {y.quantization->zero_point(), least, least + 255};
  return AddBinary(node, p, target);
}

}  // namespace mace::hexagon
