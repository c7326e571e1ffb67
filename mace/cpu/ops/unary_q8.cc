// Tables of functions and of limits.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ops/unary_q8.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/quantized/fixed_root.h"
#include "mace/cpu/quantized/lut_q8.h"
#include "mace/graph/attrs.h"
#include "mace/ops/clip.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

std::array<uint8_t, 256> AbsTable(const Node& node, const Quantization& x,
                                  const Quantization& y, CodeRange range) {
  const FixedFactor factor = ToFixed(x.scale() / y.scale());
  const bool scales = x.scale() != y.scale();
  return TableOf(node, [&](int32_t q) {
    const int32_t v = std::abs(q - x.zero_point());
    return range.Clamp((scales ? Scale(v, factor) : v) + y.zero_point());
  });
}

// The reciprocal root of codes below the zero point is that of 0.
std::array<uint8_t, 256> RsqrtTable(const Node& node, const Quantization& x,
                                    const Quantization& y, CodeRange range) {
  constexpr int kBits = 20;  // fraction bits of the root
  const float unit = std::sqrt(x.scale()) * y.scale();
  FixedFactor factor = ToFixed(1.0 / unit);
  factor.exponent -= kBits;
  return TableOf(node, [&](int32_t q) {
    const int32_t v = q - x.zero_point();
    if (v <= 0) return range.most;
    FixedFactor root = InverseRoot(v);
    root.exponent += kBits;
    // A smaller factor leaves nothing of a root.
    const int32_t units =
        factor.exponent < -31 ? 0 : Scale(Scale(1, root), factor);
    return range.Clamp(units + y.zero_point());
  });
}

// Roots are rounded towards zero.
std::array<uint8_t, 256> SqrtTable(const Node& node, const Quantization& x,
                                   const Quantization& y, CodeRange range) {
  return TableOf(node, [&](int32_t q) {
    const int32_t v = std::max(0, q - x.zero_point());
    const float units =
        std::sqrt(x.scale() * static_cast<float>(v)) / y.scale();
    return CodeOfUnits(std::trunc(units), y.zero_point(), range);
  });
}

std::array<uint8_t, 256> MappedTable(const Node& node, UnaryKind kind,
                                     RealMap map, const Quantization& x,
                                     const Quantization& y, CodeRange range) {
  // TFLite multiplies by the reciprocal of the scale where it has a table.
  const bool by_reciprocal = kind == UnaryKind::kExp || kind == UnaryKind::kLog;
  const float inverse = 1 / y.scale();
  return TableOf(node, [&](int32_t q) {
    const float real = x.scale() * static_cast<float>(q - x.zero_point());
    float f = 0;
    map(&real, &f, 1);
    return by_reciprocal ? CodeOfUnits(f * inverse, y.zero_point(), range)
                         : ToCode(f, y, range);
  });
}

}  // namespace

Result<KernelPtr> PrepareUnaryQ8(const Node& node, CpuContext& context,
                                 UnaryKind kind, RealMap map) {
  const TensorType& of_y = node.outputs[0];
  const Quantization& x = *node.inputs[0].type.quantization;
  if (!of_y.is_quantized()) {
    return Unsupported(Label(node), ": of quantized tensors the CPU computes ",
                       "functions whose result is quantized; y is ",
                       ToString(of_y));
  }
  const Quantization& y = *of_y.quantization;
  const CodeRange range = CodesOf(of_y.dtype);
  switch (kind) {
    case UnaryKind::kAbs:
      return MakeLut(node, context, AbsTable(node, x, y, range));
    case UnaryKind::kSqrt:
      return MakeLut(node, context, SqrtTable(node, x, y, range));
    case UnaryKind::kRsqrt:
      return MakeLut(node, context, RsqrtTable(node, x, y, range));
    default:
      return MakeLut(node, context, MappedTable(node, kind, map, x, y, range));
  }
}

Result<KernelPtr> PrepareClipQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ClipAttrs attrs, ReadAttrs<ClipAttrs>(node));
  if (node.has_input(1) || node.has_input(2)) {
    return Unsupported(Label(node), ": of quantized tensors the CPU computes ",
                       "Clip with limits that are attributes");
  }
  const Quantization& x = *node.inputs[0].type.quantization;
  const Quantization& y = *node.outputs[0].quantization;
  const CodeRange range = CodesOf(node.outputs[0].dtype);
  const CodeRange limits = {ToCode(attrs.min, y, range),
                            ToCode(attrs.max, y, range)};
  const FixedFactor factor = ToFixed(x.scale() / y.scale());
  return MakeLut(
      node, context, TableOf(node, [&](int32_t q) {
        return limits.Clamp(Scale(q - x.zero_point(), factor) + y.zero_point());
      }));
}

}  // namespace mace::cpu
