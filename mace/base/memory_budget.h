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
#include <string>
#include <utility>

#include "mace/base/status.h"

namespace mace {

// Returns the bytes that this process may have: the least of the machine's
// memory, the limits of its control groups, that of its address space
// (RLIMIT_AS), and 2 GiB on 32-bit CPUs. Read from the system once.
int64_t MachineMemoryBytes();

// Returns how many of these bytes are free now: the least of what the system
// can give to new processes (MemAvailable) and what is left of the limits of
// the control groups and of the address space. Only tests pass a `root`: a
// folder with other /proc and /sys.
int64_t AvailableMemoryBytes(const std::string& root = "");

// Thread-safe.
class MemoryBudget {
 public:
  // `available`: 0 if somebody chose the limit, or nothing was free; the limit
  // is then strict. Otherwise `limit` is a share of the `available` bytes that
  // were free, and more bytes may be taken if the system has them at that time.
  explicit MemoryBudget(int64_t limit, int64_t available = 0)
      : limit_(limit), available_(available) {}
  // Returns a new budget for where nobody chose a limit: three quarters of
  // AvailableMemoryBytes().
  static std::shared_ptr<MemoryBudget> Default();

  int64_t limit() const { return limit_; }
  int64_t available() const { return available_; }
  // Bytes of all MemoryShares of this budget that live.
  int64_t used() const { return used_.load(); }

  // The budget of the innermost ScopedMemoryBudget on this thread. Threads
  // without one share a default budget.
  static const std::shared_ptr<MemoryBudget>& Current();

 private:
  friend class MemoryShare;

  // Whether `bytes` more bytes than `used` can be taken: within the limit, or,
  // unless somebody chose it, if the system has them now, for which it reads
  // files of /proc.
  bool Allows(int64_t bytes, int64_t used) const;

  const int64_t limit_, available_;
  std::atomic<int64_t> used_{0};
};

// Makes `budget` the current one of this thread until this object is destroyed,
// on the same thread.
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

// Bytes that are reserved in a budget until this object is destroyed. Movable;
// an assignment exchanges the bytes of the two objects.
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
