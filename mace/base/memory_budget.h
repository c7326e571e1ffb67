// MemoryBudget: how many bytes may be allocated, and how many already are.
// SPDX-License-Identifier: Apache-2.0
//
// Memory whose size depends on a model or on the caller is reserved in a budget
// before it is allocated. AlignedBuffer and LargeArray reserve theirs in the
// budget that is current on their thread; other large memory holds a
// MemoryShare.
#ifndef MACE_BASE_MEMORY_BUDGET_H_
#define MACE_BASE_MEMORY_BUDGET_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "mace/base/status.h"

namespace mace {

// Returns the bytes that this process may have: the least of the machine's
// memory, the limit of its control group and that of its address space
// (RLIMIT_AS). Read from the system once.
int64_t MachineMemoryBytes();

// Thread-safe.
class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t limit) : limit_(limit) {}

  int64_t limit() const { return limit_; }
  int64_t used() const { return used_.load(); }

  // The budget of the innermost ScopedMemoryBudget on this thread. Threads
  // without one share a budget with the machine's limit.
  static const std::shared_ptr<MemoryBudget>& Current();

 private:
  friend class MemoryShare;

  const int64_t limit_;
  std::atomic<int64_t> used_{0};
};

// Makes a budget current on this thread while it lives.
class ScopedMemoryBudget {
 public:
  explicit ScopedMemoryBudget(std::shared_ptr<MemoryBudget> budget);
  ~ScopedMemoryBudget();
  ScopedMemoryBudget(const ScopedMemoryBudget&) = delete;
  ScopedMemoryBudget& operator=(const ScopedMemoryBudget&) = delete;

 private:
  std::shared_ptr<MemoryBudget> budget_;
  const std::shared_ptr<MemoryBudget>* outer_;
};

// Bytes that are reserved in a budget until this object is destroyed. Movable.
class MemoryShare {
 public:
  MemoryShare() = default;
  MemoryShare(MemoryShare&& other) noexcept { *this = std::move(other); }
  MemoryShare& operator=(MemoryShare&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MemoryShare();

  // Reserves bytes in the current budget. `what` names their purpose, such as
  // "the arena". Errors: MACE_OUT_OF_RESOURCES with the bytes, their purpose
  // and the limit.
  static Result<MemoryShare> Take(int64_t bytes, const char* what);

 private:
  std::shared_ptr<MemoryBudget> budget_;
  int64_t bytes_ = 0;
};

}  // namespace mace

#endif  // MACE_BASE_MEMORY_BUDGET_H_
