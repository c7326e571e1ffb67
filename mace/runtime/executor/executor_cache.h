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

// One that is added to a full cache replaces the one that was not used for
// longest. Pointers to an executor hold until it is replaced or dropped. Not
// thread-safe.
class ExecutorCache {
 public:
  explicit ExecutorCache(size_t max_executors)
      : max_executors_(max_executors) {}

  // Returns the executor with this key and makes it the latest one; null: there
  // is none.
  Executor* Find(const std::string& key);
  // Adds an executor, which becomes the latest one.
  Executor* Add(std::string key, std::unique_ptr<Executor> executor);
  // REQUIRES: not empty.
  Executor& latest() const { return *entries_.front().executor; }

  // What was decided about the memory of the latest plan; null: there is none.
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
