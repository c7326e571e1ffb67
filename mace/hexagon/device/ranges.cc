// Ranges of quantized values, and windows.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/device/ranges.h"

#include <algorithm>

#include "mace/hexagon/protocol/window.h"

namespace mace::hexagon {

int32_t QuantizedValue(float real, const Quantization& q,
                       const OutputRange& range) {
  return NearestQuantized(real / q.scale(), q.zero_point(), range.least,
                          range.most);
}

Result<OutputRange> OutputRangeOf(const Node& node,
                                  const ActivationAttrs& activation) {
  const TensorType& y = node.outputs[0];
  const Quantization& q = *y.quantization;
  const int32_t least = IsSigned(y) != 0 ? -128 : 0;
  OutputRange values = {q.zero_point(), least, least + 255};
  MACE_ASSIGN_OR_RETURN(const ActivationKind kind,
                        ParseActivation(node, activation));
  switch (kind) {
    case ActivationKind::kNoop:
      return values;
    case ActivationKind::kRelux:
      values.most = QuantizedValue(activation.max_limit, q, values);
      [[fallthrough]];
    case ActivationKind::kRelu:
      values.least = std::max(values.least, q.zero_point());
      return values;
    default:
      return Unsupported(Label(node), ": the DSP computes the activations ",
                         "NOOP, RELU and RELUX with a node, not ",
                         activation.activation);
  }
}

Result<WindowParams> ToParams(const Node& node, const Window& window) {
  const auto narrow = [](int64_t x) {
    return static_cast<int32_t>(std::min<int64_t>(x, kMaxExtent + 1));
  };
  const WindowParams params = {
      narrow(window.in),       narrow(window.out),
      narrow(window.kernel),   narrow(window.stride),
      narrow(window.dilation), narrow(window.pad_before)};
  if (window.pad_before < 0 || !IsValid(params)) {
    return Unsupported(Label(node), ": the window is too large for the DSP");
  }
  return params;
}

}  // namespace mace::hexagon
