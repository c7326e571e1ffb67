// Keys and checksums of tuning results.
// SPDX-License-Identifier: Apache-2.0

#include "mace/device/tuning_results.h"

#include <cstring>
#include <utility>

#include "mace/base/hash.h"
#include "mace/base/logging.h"
#include "mace/base/str_cat.h"
#include "mace/base/version.h"

namespace mace {
namespace {

// The value of an entry: XXH3 of what follows, then the numbers, little endian.
using StoredBytes = std::vector<unsigned char>;

StoredBytes ToBytes(const std::vector<int64_t>& numbers) {
  const size_t size = numbers.size() * sizeof(int64_t);
  const uint64_t hash = Hash64(numbers.data(), size);
  StoredBytes bytes(sizeof(hash) + size);
  std::memcpy(bytes.data(), &hash, sizeof(hash));
  if (size > 0) {
    std::memcpy(bytes.data() + sizeof(hash), numbers.data(), size);
  }
  return bytes;
}

// Empty if they are damaged.
std::vector<int64_t> ToNumbers(const StoredBytes& bytes) {
  uint64_t hash = 0;
  if (bytes.size() <= sizeof(hash) || bytes.size() % sizeof(int64_t) != 0) {
    return {};
  }
  std::memcpy(&hash, bytes.data(), sizeof(hash));
  const size_t size = bytes.size() - sizeof(hash);
  if (Hash64(bytes.data() + sizeof(hash), size) != hash) return {};
  std::vector<int64_t> numbers(size / sizeof(int64_t));
  std::memcpy(numbers.data(), bytes.data() + sizeof(hash), size);
  return numbers;
}

}  // namespace

TuningResults::TuningResults(const std::string& identity,
                             std::vector<std::shared_ptr<KVStorage>> stores,
                             std::shared_ptr<KVStorage> kept)
    : prefix_(StrCat("tuned|", kVersion, "|", identity, "|")),
      stores_(std::move(stores)),
      kept_(std::move(kept)) {
  if (kept_ != nullptr) stores_.push_back(kept_);
}

std::vector<int64_t> TuningResults::Find(const std::string& key) {
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  for (const auto& store : stores_) {
    const StoredBytes* value = store->Find(StrCat(prefix_, key));
    if (value == nullptr) continue;
    std::vector<int64_t> numbers = ToNumbers(*value);
    if (!numbers.empty()) return known_[key] = std::move(numbers);
    LOG(INFO) << "a kept tuning result is damaged; it is ignored: " << key;
  }
  return {};
}

void TuningResults::Insert(const std::string& key,
                           const std::vector<int64_t>& numbers) {
  known_[key] = numbers;
  if (kept_ == nullptr) return;
  kept_->Insert(StrCat(prefix_, key), ToBytes(numbers));
  dirty_ = true;
}

void TuningResults::Flush() {
  if (!dirty_) return;
  dirty_ = false;
  if (kept_->Flush() != 0) {
    LOG(INFO) << "the tuning results are not kept; the next engine that is to "
                 "be tuned measures again";
  }
}

}  // namespace mace
