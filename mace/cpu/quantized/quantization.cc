// Ranges of quantized values and output stages.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/quantized/quantization.h"

#include <limits>

#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

template <typename T>
QuantizedRange LimitsOf() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

}  // namespace

QuantizedRange RangeOf(DataType type) {
  if (type == DataType::kU8) return LimitsOf<uint8_t>();
  if (type == DataType::kI8) return LimitsOf<int8_t>();
  return type == DataType::kI16 ? LimitsOf<int16_t>() : LimitsOf<int32_t>();
}

int32_t QuantizeFloat(float real, const Quantization& quantization,
                      QuantizedRange range) {
  return QuantizeUnits(real / quantization.scale(), quantization.zero_point(),
                       range);
}

int32_t QuantizeUnits(float units, int32_t zero_point, QuantizedRange range) {
  return NearestQuantized(units, zero_point, range.least, range.most);
}

Result<QuantizedRange> RangeAfter(const Node& node,
                                  const ActivationAttrs& activation,
                                  const TensorType& type) {
  QuantizedRange range = RangeOf(type.dtype);
  MACE_ASSIGN_OR_RETURN(const ActivationKind kind,
                        ParseActivation(node, activation));
  const Quantization& q = *type.quantization;
  switch (kind) {
    case ActivationKind::kNoop:
      return range;
    case ActivationKind::kRelux:
      range.most = QuantizeFloat(activation.max_limit, q, range);
      [[fallthrough]];
    case ActivationKind::kRelu:
      range.least = std::max(range.least, q.zero_point());
      return range;
    default:
      return Unsupported(Label(node), ": quantized outputs take the ",
                         "activations NOOP, RELU and RELUX, not ",
                         activation.activation);
  }
}

Result<OutputStage> MakeOutputStage(const Node& node,
                                    const ActivationAttrs& activation) {
  const TensorType &x = node.inputs[0].type, &y = node.outputs[0];
  OutputStage stage;
  stage.zero_point = y.quantization->zero_point();
  MACE_ASSIGN_OR_RETURN(stage.range, RangeAfter(node, activation, y));
  for (const float scale : node.inputs[1].type.quantization->scales) {
    double product = double{x.quantization->scale()} * scale;
    if (x.dtype == DataType::kU8) product = static_cast<float>(product);
    stage.factors.push_back(ToFixed(product / y.quantization->scale()));
  }
  return stage;
}

std::vector<double> DoubleFactors(const Node& node) {
  const double x = node.inputs[0].type.quantization->scale();
  const double y = node.outputs[0].quantization->scale();
  std::vector<double> factors;
  for (const float w : node.inputs[1].type.quantization->scales) {
    factors.push_back(x * w / y);
  }
  return factors;
}

}  // namespace mace::cpu
