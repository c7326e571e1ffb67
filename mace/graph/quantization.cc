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
  // Exact for finite results of every type.
  const double value = double{std::round(units)} + zero_point;
  if (!(value > least)) return least;
  return value < most ? static_cast<int32_t>(value) : most;
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
