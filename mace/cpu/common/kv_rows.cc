// Reading and writing rows of KV caches.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/kv_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mace/base/fp16.h"
#include "mace/cpu/common/convert.h"

namespace mace::cpu {

void WidenKvRow(DataType dtype, const void* row, int64_t depth, float* to) {
  if (dtype == DataType::kF32) {
    std::copy_n(static_cast<const float*>(row), depth, to);
  } else if (dtype == DataType::kF16) {
    WidenFp16(static_cast<const uint16_t*>(row), depth, to);
  } else {
    const auto* values = static_cast<const int8_t*>(row);
    float scale;
    std::memcpy(&scale, values + depth, sizeof(scale));
    for (int64_t i = 0; i < depth; ++i) {
      to[i] = scale * static_cast<float>(values[i]);
    }
  }
}

void StoreKvRow(DataType dtype, const float* row, int64_t depth, void* to) {
  if (dtype == DataType::kF32) {
    std::copy_n(row, depth, static_cast<float*>(to));
    return;
  }
  if (dtype == DataType::kF16) {
    NarrowToFp16(row, depth, static_cast<uint16_t*>(to));
    return;
  }
  float largest = 0;
  for (int64_t i = 0; i < depth; ++i) {
    largest = std::max(largest, std::fabs(row[i]));
  }
  const float inverse = largest > 0 ? 127 / largest : 0;
  auto* values = static_cast<int8_t*>(to);
  for (int64_t i = 0; i < depth; ++i) {
    values[i] = ToInteger<int8_t>(std::nearbyint(row[i] * inverse));
  }
  const float scale = largest / 127;
  std::memcpy(values + depth, &scale, sizeof(scale));
}

KvPosition::KvPosition(const Node& node, size_t input)
    : label_(Label(node)),
      dtype_(node.inputs[input].type.dtype),
      n_(NumElements(node.inputs[input].type.shape)) {}

Status KvPosition::Check(const void* data, int64_t rows,
                         int64_t capacity) const {
  for (int64_t i = 0; i < n_; ++i) {
    const int64_t at = At(data, i);
    if (at >= 0 && at <= capacity - rows) continue;
    return InvalidArgument(label_, ": ", rows, " rows at position ", at,
                           " are not within the KV cache's capacity of ",
                           capacity,
                           " rows; begin again at position 0, or convert the "
                           "model with a larger capacity");
  }
  return Status();
}

}  // namespace mace::cpu
