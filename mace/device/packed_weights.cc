// The cache of packed weights.
// SPDX-License-Identifier: Apache-2.0

#include "mace/device/packed_weights.h"

namespace mace {

Result<std::shared_ptr<const AlignedBuffer>> PackedWeights::GetOrPack(
    int64_t weight_id, const std::string& how, size_t bytes,
    const std::function<void(void*)>& fill) {
  // Held while packing, so that two engines created at once pack only once.
  std::lock_guard<std::mutex> lock(mutex_);
  const auto key = std::make_pair(weight_id, how);
  if (weight_id >= 0) {
    const auto it = buffers_.find(key);
    if (it != buffers_.end()) return it->second;
  }
  MACE_ASSIGN_OR_RETURN(AlignedBuffer buffer, AlignedBuffer::Create(bytes));
  fill(buffer.data());
  auto shared = std::make_shared<const AlignedBuffer>(std::move(buffer));
  if (weight_id >= 0) buffers_.emplace(key, shared);
  return shared;
}

bool PackedWeights::Has(int64_t weight_id) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto it = buffers_.lower_bound({weight_id, std::string()});
  return it != buffers_.end() && it->first.first == weight_id;
}

int64_t PackedWeights::count() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(buffers_.size());
}

int64_t PackedWeights::total_bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  int64_t total = 0;
  for (const auto& [key, buffer] : buffers_) {
    total += static_cast<int64_t>(buffer->size());
  }
  return total;
}

}  // namespace mace
