// LazyTable: values by name, each made when it is first asked for.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_LAZY_TABLE_H_
#define MACE_BASE_LAZY_TABLE_H_

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

namespace mace {

// A row of a table that //mace:op_table.bzl writes, sorted by name.
template <typename T>
struct TableEntry {
  const char* name;
  T (*make)();
};

// Thread-safe. Values are never destroyed. Two threads that ask for a value at
// once may both make it, and one of the two is dropped: `make` must have no
// side effects.
template <typename T>
class LazyTable {
 public:
  // `entries` must outlive this object.
  LazyTable(const TableEntry<T>* entries, int size)
      : entries_(entries), size_(size), values_(static_cast<size_t>(size)) {}

  // Returns null if there is no entry `name`. Takes O(log n) comparisons.
  const T* Find(const std::string& name) {
    int begin = 0, end = size_;
    while (begin < end) {
      const int middle = (begin + end) / 2;
      const int order = name.compare(entries_[middle].name);
      if (order == 0) return &At(middle);
      if (order < 0) {
        end = middle;
      } else {
        begin = middle + 1;
      }
    }
    return nullptr;
  }

  // REQUIRES: 0 <= i < size.
  const T& At(int i) {
    const T* value = values_[i].load();
    if (value != nullptr) return *value;
    const T* const made = new T(entries_[i].make());
    if (values_[i].compare_exchange_strong(value, made)) return *made;
    delete made;  // another thread was faster
    return *value;
  }

 private:
  const TableEntry<T>* const entries_;
  const int size_;
  std::vector<std::atomic<const T*>> values_;
};

}  // namespace mace

#endif  // MACE_BASE_LAZY_TABLE_H_
