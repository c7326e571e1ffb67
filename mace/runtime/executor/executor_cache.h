// ExecutorCache: executors by what they were made for, the latest first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_EXECUTOR_EXECUTOR_CACHE_H_
#define MACE_RUNTIME_EXECUTOR_EXECUTOR_CACHE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "mace/graph/tensor_type.h"
#include "mace/plan/types/memory_pattern.h"
#include "mace/runtime/executor/executor.h"

namespace mace {

// An executor that is added to a full cache replaces the one whose latest use
// is the longest ago. Pointers to an executor are valid until it is replaced or
// the cache is destroyed. Not thread-safe.
class ExecutorCache {
 public:
  explicit ExecutorCache(size_t max_executors)
      : max_executors_(max_executors) {}

  // Returns the executor with this key and makes it the latest one; null: there
  // is none.
  Executor* Find(const std::string& key);
  // Adds an executor, which becomes the latest one, and returns it. REQUIRES:
  // none has this key.
  Executor* Add(std::string key, std::unique_ptr<Executor> executor);
  // REQUIRES: not empty.
  Executor& latest() const { return *entries_.front().executor; }

  // Returns what was decided about the memory of the latest plan; null if there
  // is no plan or it has no pattern.
  std::shared_ptr<const MemoryPattern> latest_pattern() const;

 private:
  struct Entry {
    std::string key;
    std::unique_ptr<Executor> executor;
  };
  size_t max_executors_;
  // The latest one first.
  std::vector<Entry> entries_;
};

// Appends to a key what tells the type or the shape from all others: the rank
// and each dimension, and before them, of a type, the element type. Layout and
// quantization are left out, as they do not change with shapes.
void AppendToKey(const TensorType& type, std::string* key);
void AppendToKey(const Shape& shape, std::string* key);

}  // namespace mace

#endif  // MACE_RUNTIME_EXECUTOR_EXECUTOR_CACHE_H_
