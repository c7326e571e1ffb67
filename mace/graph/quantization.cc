// Comparing and printing how tensors are quantized.
// SPDX-License-Identifier: Apache-2.0

#include "mace/graph/quantization.h"

#include "mace/base/str_cat.h"

namespace mace {

bool AreEqual(const QuantizationPtr& a, const QuantizationPtr& b) {
  if (a == b) return true;
  return a != nullptr && b != nullptr && *a == *b;
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
