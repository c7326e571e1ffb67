// The cache of packed weights.
// SPDX-License-Identifier: Apache-2.0

#include "mace/device/packed_weights.h"

#include <utility>

#include "mace/base/make_shared.h"

namespace mace {
namespace {

// Small pieces share a buffer, so that they share its huge pages. What of it is
// never used is never touched, and so costs no memory.
constexpr size_t kChunkBytes = 16 << 20;
// The first buffer is smaller than a huge page: a small model needs no more.
constexpr size_t kFirstChunkBytes = 1 << 20;
constexpr size_t kLargeBytes = kChunkBytes / 4;
constexpr size_t kReleaseBytes = 4 << 20;

constexpr char kWhat[] = "packed or widened weights";

// A part of a buffer, as long as it is held.
struct Piece {
  std::shared_ptr<AlignedBuffer> chunk;
  MemoryShare share;
};

}  // namespace

Result<std::shared_ptr<void>> PackedWeights::Allocate(size_t bytes) {
  if (bytes >= kLargeBytes) {
    MACE_ASSIGN_OR_RETURN(AlignedBuffer buffer,
                          AlignedBuffer::Create(bytes, kWhat));
    auto owner = MakeShared<AlignedBuffer>(std::move(buffer));
    return std::shared_ptr<void>(owner, owner->data());
  }
  auto piece = MakeShared<Piece>();
  MACE_ASSIGN_OR_RETURN(piece->share,
                        MemoryShare::Take(static_cast<int64_t>(bytes), kWhat));
  if (chunk_ == nullptr || bytes > chunk_->size() - chunk_used_) {
    const bool first = chunk_ == nullptr && bytes <= kFirstChunkBytes;
    MACE_ASSIGN_OR_RETURN(AlignedBuffer buffer,
                          AlignedBuffer::CreateUncounted(
                              first ? kFirstChunkBytes : kChunkBytes, kWhat));
    chunk_ = MakeShared<AlignedBuffer>(std::move(buffer));
    chunk_used_ = 0;
  }
  void* data = static_cast<char*>(chunk_->data()) + chunk_used_;
  chunk_used_ += AlignUp(static_cast<int64_t>(bytes), kAlignment);
  piece->chunk = chunk_;
  return std::shared_ptr<void>(std::move(piece), data);
}

Result<std::shared_ptr<const void>> PackedWeights::GetOrPack(
    int64_t weight_id, const std::string& how, size_t bytes,
    const std::function<Status(void*)>& fill) {
  if (unread_) return std::shared_ptr<const void>(MakeShared<char>());
  // Held while packing, so that two engines created at once pack only once.
  std::lock_guard<Mutex> lock(mutex_);
  const auto key = std::make_pair(weight_id, how);
  if (weight_id >= 0) {
    const auto it = kept_.find(key);
    // Nodes may divide a weight into other parts.
    if (it != kept_.end() && it->second.bytes == bytes) return it->second.data;
  }
  if (ahead_ != nullptr) {
    MACE_ASSIGN_OR_RETURN(std::shared_ptr<const void> found,
                          FindAhead(key, bytes));
    if (found != nullptr) {
      kept_.emplace(key, Kept{found, bytes, true});
      return found;
    }
  }
  MACE_ASSIGN_OR_RETURN(std::shared_ptr<void> data, Allocate(bytes));
  MACE_RETURN_IF_ERROR(fill(data.get()));
  unreleased_ += bytes;
  if (release_ && unreleased_ >= kReleaseBytes) {
    release_();
    unreleased_ = 0;
  }
  if (weight_id >= 0) kept_.emplace(key, Kept{data, bytes, false});
  return std::shared_ptr<const void>(std::move(data));
}

struct PackedWeights::Ahead {
  struct Weight {
    std::string name;
    std::shared_ptr<const void> data;
    size_t bytes;
  };
  std::map<Key, Weight> weights;
  std::function<Status()> verify;
};

PackedWeights::Ahead& PackedWeights::ahead() {
  if (ahead_ == nullptr) ahead_ = MakeShared<Ahead>();
  return *ahead_;
}

void PackedWeights::SetVerify(std::function<Status()> verify) {
  ahead().verify = std::move(verify);
}

Result<std::shared_ptr<const void>> PackedWeights::FindAhead(const Key& key,
                                                             size_t bytes) {
  const auto& weights = ahead_->weights;
  const auto found = weights.find(key);
  if (found != weights.end()) {
    const Ahead::Weight& weight = found->second;
    if (weight.bytes == bytes) return weight.data;
    return InvalidModel("weight '", weight.name, "' packed as '", key.second,
                        "' has ", weight.bytes, " bytes, its kernel needs ",
                        bytes,
                        ": the model is damaged or was packed by another "
                        "release; convert it again");
  }
  const auto other = weights.lower_bound({key.first, std::string()});
  const bool is_packed =
      other != weights.end() && other->first.first == key.first;
  if (is_packed && ahead_->verify) MACE_RETURN_IF_ERROR(ahead_->verify());
  return std::shared_ptr<const void>();
}

void PackedWeights::AddPacked(int64_t weight_id, const std::string& how,
                              const std::string& name,
                              std::shared_ptr<const void> data, size_t bytes) {
  ahead().weights[{weight_id, how}] = {name, std::move(data), bytes};
}

void PackedWeights::ForEach(
    const std::function<void(int64_t, const std::string&, const void*, size_t)>&
        f) const {
  std::lock_guard<Mutex> lock(mutex_);
  for (const auto& [key, kept] : kept_) {
    f(key.first, key.second, kept.data.get(), kept.bytes);
  }
}

bool PackedWeights::Has(int64_t weight_id) const {
  std::lock_guard<Mutex> lock(mutex_);
  auto it = kept_.lower_bound({weight_id, std::string()});
  for (; it != kept_.end() && it->first.first == weight_id; ++it) {
    if (!it->second.ahead) return true;
  }
  return false;
}

int64_t PackedWeights::count() const {
  std::lock_guard<Mutex> lock(mutex_);
  return static_cast<int64_t>(kept_.size());
}

int64_t PackedWeights::total_bytes() const {
  std::lock_guard<Mutex> lock(mutex_);
  int64_t total = 0;
  for (const auto& [key, kept] : kept_) {
    if (!kept.ahead) total += static_cast<int64_t>(kept.bytes);
  }
  return total;
}

}  // namespace mace
