// What translators share: ranges of quantized values, factors and windows.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_DEVICE_RANGES_H_
#define MACE_HEXAGON_DEVICE_RANGES_H_

#include <cstdint>

#include "mace/base/status.h"
#include "mace/graph/node.h"
#include "mace/hexagon/protocol/ops.h"
#include "mace/ops/common/activation_attrs.h"
#include "mace/ops/common/window.h"

namespace mace::hexagon {

// As the `is_signed` of parameters. REQUIRES: an 8-bit type.
inline int32_t IsSigned(const TensorType& type) {
  return type.dtype == DataType::kI8 ? 1 : 0;
}

// The zero point of output 0, and the quantized values that an activation
// leaves to it: from the zero point on for RELU and RELUX, and up to max_limit
// for RELUX. REQUIRES: output 0 is quantized per tensor. Errors: as
// ParseActivation; MACE_UNSUPPORTED for activations other than NOOP, RELU and
// RELUX.
Result<OutputRange> OutputRangeOf(const Node& node,
                                  const ActivationAttrs& activation);

// The quantized value that is nearest to `real`, ties away from zero, within
// the range, in the arithmetic of TFLite. The zero point is that of `q`.
int32_t QuantizedValue(float real, const Quantization& q,
                       const OutputRange& range);

// Returns one axis of a window as the DSP takes it. Errors: MACE_UNSUPPORTED if
// IsValid (protocol/window.h) refuses it: a size, the stride, the dilation or
// the padding is too large, or the padding is negative.
Result<WindowParams> ToParams(const Node& node, const Window& window);

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_DEVICE_RANGES_H_
