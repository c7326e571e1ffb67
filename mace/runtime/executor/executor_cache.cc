// Finding executors by their keys.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/executor/executor_cache.h"

#include <algorithm>
#include <utility>

#include "mace/base/search.h"

namespace mace {

Executor* ExecutorCache::Find(const std::string& key) {
  const auto found =
      FindIf(entries_, [&](const Entry& entry) { return entry.key == key; });
  if (found == entries_.end()) return nullptr;
  std::rotate(entries_.begin(), found, found + 1);
  return entries_.front().executor.get();
}

Executor* ExecutorCache::Add(std::string key,
                             std::unique_ptr<Executor> executor) {
  if (entries_.size() == max_executors_) entries_.pop_back();
  entries_.insert(entries_.begin(), {std::move(key), std::move(executor)});
  return entries_.front().executor.get();
}

std::shared_ptr<const MemoryPattern> ExecutorCache::latest_pattern() const {
  return entries_.empty() ? nullptr : entries_.front().executor->plan().pattern;
}

void AppendToKey(const TensorType& type, std::string* key) {
  key->push_back(static_cast<char>(type.dtype));
  AppendToKey(type.shape, key);
}

void AppendToKey(const Shape& shape, std::string* key) {
  key->push_back(static_cast<char>(shape.size()));
  for (const int64_t extent : shape) {
    key->append(reinterpret_cast<const char*>(&extent), sizeof(extent));
  }
}

}  // namespace mace
