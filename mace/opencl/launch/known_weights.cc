// Looking through quantized weights once.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/launch/known_weights.h"

#include <algorithm>

namespace mace::opencl {

bool KnownWeights::HasLeast(const Operand& weight) {
  const auto known = by_weight_.find(weight.weight_id);
  if (weight.weight_id >= 0 && known != by_weight_.end()) return known->second;
  const auto* values = static_cast<const int8_t*>(weight.data);
  const int8_t* const end = values + NumElements(weight.type.shape);
  const bool has = std::find(values, end, int8_t{INT8_MIN}) != end;
  if (weight.weight_id >= 0) by_weight_[weight.weight_id] = has;
  return has;
}

}  // namespace mace::opencl
