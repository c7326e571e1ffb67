// The cache of packed weights.
// SPDX-License-Identifier: Apache-2.0

#include "mace/device/packed_weights.h"

namespace mace {
namespace {

// Small pieces share a buffer, so that they share its huge pages. What of it is
// never used is never touched, and so costs no memory.
constexpr size_t kChunkBytes = 16 << 20;
// The first buffer is smaller than a huge page: a small model needs no more.
constexpr size_t kFirstChunkBytes = 1 << 20;
constexpr size_t kLargeBytes = kChunkBytes / 4;
constexpr size_t kReleaseBytes = 4 << 20;

}  // namespace

Result<std::shared_ptr<void>> PackedWeights::Allocate(size_t bytes) {
  if (bytes >= kLargeBytes) {
    MACE_ASSIGN_OR_RETURN(AlignedBuffer buffer, AlignedBuffer::Create(bytes));
    auto owner = std::make_shared<AlignedBuffer>(std::move(buffer));
    return std::shared_ptr<void>(owner, owner->data());
  }
  if (chunk_ == nullptr || bytes > chunk_->size() - chunk_used_) {
    const bool first = chunk_ == nullptr && bytes <= kFirstChunkBytes;
    MACE_ASSIGN_OR_RETURN(
        AlignedBuffer buffer,
        AlignedBuffer::Create(first ? kFirstChunkBytes : kChunkBytes));
    chunk_ = std::make_shared<AlignedBuffer>(std::move(buffer));
    chunk_used_ = 0;
  }
  void* data = static_cast<char*>(chunk_->data()) + chunk_used_;
  chunk_used_ += AlignUp(static_cast<int64_t>(bytes), kAlignment);
  return std::shared_ptr<void>(chunk_, data);
}

Result<std::shared_ptr<const void>> PackedWeights::GetOrPack(
    int64_t weight_id, const std::string& how, size_t bytes,
    const std::function<Status(void*)>& fill) {
  // Held while packing, so that two engines created at once pack only once.
  std::lock_guard<std::mutex> lock(mutex_);
  const auto key = std::make_pair(weight_id, how);
  if (weight_id >= 0) {
    const auto it = kept_.find(key);
    if (it != kept_.end()) return it->second.data;
  }
  MACE_ASSIGN_OR_RETURN(std::shared_ptr<void> data, Allocate(bytes));
  MACE_RETURN_IF_ERROR(fill(data.get()));
  unreleased_ += bytes;
  if (release_ && unreleased_ >= kReleaseBytes) {
    release_();
    unreleased_ = 0;
  }
  if (weight_id >= 0) kept_.emplace(key, Kept{data, bytes});
  return std::shared_ptr<const void>(std::move(data));
}

bool PackedWeights::Has(int64_t weight_id) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto it = kept_.lower_bound({weight_id, std::string()});
  return it != kept_.end() && it->first.first == weight_id;
}

int64_t PackedWeights::count() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(kept_.size());
}

int64_t PackedWeights::total_bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  int64_t total = 0;
  for (const auto& [key, kept] : kept_) {
    total += static_cast<int64_t>(kept.bytes);
  }
  return total;
}

}  // namespace mace
