// MemoryBudget: how many bytes may be allocated, and how many are.
// SPDX-License-Identifier: Apache-2.0
//
// Sizes that a model or a caller decides are taken from a budget before they
// are allocated. AlignedBuffer and LargeArray take theirs from the budget that
// is current on their thread; what else is large holds a MemoryShare.
#ifndef MACE_BASE_MEMORY_BUDGET_H_
#define MACE_BASE_MEMORY_BUDGET_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "mace/base/status.h"

namespace mace {

// Bytes that this process can have: the machine's memory, or the limit of its
// control group or of its address space (RLIMIT_AS) where that is lower. Read
// once.
int64_t MachineMemoryBytes();

// Thread-safe.
class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t limit) : limit_(limit) {}

  int64_t limit() const { return limit_; }
  int64_t used() const { return used_.load(); }

  // That of the innermost ScopedMemoryBudget of this thread, or else one that
  // all such threads share, with the machine's limit.
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

// Bytes taken from a budget, which have them back when it ends. Movable.
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

  // From the current budget; `what` names what they are for: "the arena".
  // Errors: MACE_OUT_OF_RESOURCES with the bytes, what for, and the limit.
  static Result<MemoryShare> Take(int64_t bytes, const char* what);

 private:
  std::shared_ptr<MemoryBudget> budget_;
  int64_t bytes_ = 0;
};

}  // namespace mace

#endif  // MACE_BASE_MEMORY_BUDGET_H_
