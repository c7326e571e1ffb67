// Comparing and printing how tensors are quantized.
// SPDX-License-Identifier: Apache-2.0

#include "mace/graph/quantization.h"

#include <cmath>

#include "mace/base/str_cat.h"

namespace mace {

bool AreEqual(const QuantizationPtr& a, const QuantizationPtr& b) {
  if (a == b) return true;
  return a != nullptr && b != nullptr && *a == *b;
}

int32_t NearestQuantized(float units, int32_t zero_point, int32_t least,
                         int32_t most) {
  const float rounded = std::round(units);
  const float value = rounded + static_cast<float>(zero_point);
  if (!(value > static_cast<float>(least))) return least;
  if (value >= static_cast<float>(most)) return most;
  return static_cast<int32_t>(rounded) + zero_point;
}

std::string ToString(const QuantizationPtr& quantization) {
  if (quantization == nullptr) return "";
  if (quantization->is_per_axis()) {
    return StrCat(" (", quantization->scales.size(), " scales along axis ",
                  quantization->axis, ")");
  }
  return StrCat(" (scale ", quantization->scale(), ", zero point ",
                quantization->zero_point(), ")");
}

}  // namespace mace
