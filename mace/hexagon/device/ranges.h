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

inline int32_t IsSigned(const TensorType& type) {
  return type.dtype == DataType::kI8 ? 1 : 0;
}

// The quantized values that an activation leaves to output 0. Errors:
// MACE_UNSUPPORTED for others than NOOP, RELU and RELUX.
Result<OutputRange> OutputRangeOf(const Node& node,
                                  const ActivationAttrs& activation);

// The quantized value that is nearest to `real`, ties away from zero, within
// the range, in the arithmetic of TFLite.
int32_t QuantizedValue(float real, const Quantization& q,
                       const OutputRange& range);

// Errors: MACE_UNSUPPORTED if an axis of the window is too large for the DSP.
Result<WindowParams> ToParams(const Node& node, const Window& window);

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_DEVICE_RANGES_H_
