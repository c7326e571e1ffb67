// Finding and counting the copies that live.
// SPDX-License-Identifier: Apache-2.0

#include "mace/device/device_weights.h"

namespace mace {
namespace {

template <typename Map>
void EraseDead(Map& map) {
  for (auto it = map.begin(); it != map.end();) {
    it = it->second.copy.expired() ? map.erase(it) : std::next(it);
  }
}

}  // namespace

void DeviceWeights::ForgetDead() {
  EraseDead(named_);
  EraseDead(nameless_);
}

Result<DeviceWeights::Copy> DeviceWeights::GetOrUpload(
    const void* memory, const std::string& name,
    const std::function<Result<Upload>()>& upload) {
  // Held while uploading, so that two engines created at once upload only once.
  std::lock_guard<Mutex> lock(mutex_);
  const auto key = std::make_pair(memory, name);
  const auto found = name.empty() ? named_.end() : named_.find(key);
  if (found != named_.end()) {
    if (Copy copy = found->second.copy.lock()) return copy;
  }
  MACE_ASSIGN_OR_RETURN(Upload made, upload());
  ForgetDead();
  ++num_uploads_;
  Known& known = name.empty() ? nameless_[num_uploads_] : named_[key];
  known = {made.copy, made.bytes};
  return std::move(made.copy);
}

int64_t DeviceWeights::total_bytes() const {
  std::lock_guard<Mutex> lock(mutex_);
  int64_t total = 0;
  for (const auto& [key, known] : named_) {
    if (!known.copy.expired()) total += known.bytes;
  }
  for (const auto& [number, known] : nameless_) {
    if (!known.copy.expired()) total += known.bytes;
  }
  return total;
}

int64_t DeviceWeights::count() const {
  std::lock_guard<Mutex> lock(mutex_);
  int64_t count = 0;
  for (const auto& [key, known] : named_) {
    if (!known.copy.expired()) ++count;
  }
  for (const auto& [number, known] : nameless_) {
    if (!known.copy.expired()) ++count;
  }
  return count;
}

}  // namespace mace
