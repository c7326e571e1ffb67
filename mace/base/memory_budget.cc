// Counting bytes, and how many a machine has.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/memory_budget.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string>

#include "mace/base/fork.h"
#include "mace/base/make_shared.h"
#include "mace/base/str_cat.h"

namespace mace {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

// The budget that is current on this thread; null: the machine's.
thread_local const std::shared_ptr<MemoryBudget>* current = nullptr;

// Reads a file of /proc or /sys, which are short; empty if it cannot.
std::string ReadShortFile(const std::string& path) {
  char text[4096];
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  const ssize_t n = read(fd, text, sizeof(text));
  close(fd);
  return std::string(text, n > 0 ? static_cast<size_t>(n) : 0);
}

// The number that a file holds; kUnlimited if there is none ("max").
int64_t LimitIn(const std::string& path) {
  const std::string text = ReadShortFile(path);
  if (text.empty() || text[0] < '0' || text[0] > '9') return kUnlimited;
  const unsigned long long limit = std::strtoull(text.c_str(), nullptr, 10);
  return static_cast<int64_t>(
      std::min<unsigned long long>(limit, static_cast<uint64_t>(kUnlimited)));
}

// The least limit of a control group and those around it.
int64_t LeastLimit(const std::string& root, std::string group,
                   const char* file) {
  int64_t limit = LimitIn(StrCat(root, "/", file));
  while (group.size() > 1) {
    limit = std::min(limit, LimitIn(StrCat(root, group, "/", file)));
    group.resize(group.rfind('/'));
  }
  return limit;
}

// Of the control groups of this process: a line of /proc/self/cgroup each,
// "0::/group" (version 2) or "4:memory:/group" (version 1).
int64_t ControlGroupLimit() {
  const std::string text = ReadShortFile("/proc/self/cgroup");
  int64_t limit = kUnlimited;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string kinds = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (group.empty() || group[0] != '/') continue;
    if (kinds.empty()) {
      limit =
          std::min(limit, LeastLimit("/sys/fs/cgroup", group, "memory.max"));
    } else if (kinds == "memory") {
      limit = std::min(limit, LeastLimit("/sys/fs/cgroup/memory", group,
                                         "memory.limit_in_bytes"));
    }
  }
  return limit;
}

int64_t ReadMachineMemory() {
  // No buffer is larger than what a pointer can reach, on 32 bits 2 GiB.
  int64_t limit = std::min<int64_t>(ControlGroupLimit(),
                                    std::numeric_limits<ptrdiff_t>::max());
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) {
    limit = std::min(limit, static_cast<int64_t>(pages) * page);
  }
  rlimit space;
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    limit = std::min(limit,
                     static_cast<int64_t>(std::min<unsigned long long>(
                         space.rlim_cur, static_cast<uint64_t>(kUnlimited))));
  }
  return limit;
}

}  // namespace

int64_t MachineMemoryBytes() {
  const HoldFork hold_fork;
  static const int64_t bytes = ReadMachineMemory();
  return bytes;
}

const std::shared_ptr<MemoryBudget>& MemoryBudget::Current() {
  if (current != nullptr) return *current;
  const HoldFork hold_fork;
  static const auto* machine = new std::shared_ptr<MemoryBudget>(
      MakeShared<MemoryBudget>(MachineMemoryBytes()));
  return *machine;
}

ScopedMemoryBudget::ScopedMemoryBudget(std::shared_ptr<MemoryBudget> budget)
    : budget_(std::move(budget)), outer_(current) {
  current = &budget_;
}

ScopedMemoryBudget::~ScopedMemoryBudget() { current = outer_; }

Result<MemoryShare> MemoryShare::Take(int64_t bytes, const char* what) {
  const std::shared_ptr<MemoryBudget>& budget = MemoryBudget::Current();
  // A sum that overflows is beyond any limit.
  int64_t before = budget->used_.load();
  do {
    if (bytes < 0 ||
        bytes > budget->limit_ - std::min(before, budget->limit_)) {
      return OutOfResources(
          bytes, " bytes for ", what, " are more than is left: ", before,
          " of ", budget->limit_,
          " bytes are taken (the limit of SetMemoryLimit, or else what the "
          "machine has)");
    }
  } while (!budget->used_.compare_exchange_weak(before, before + bytes));
  MemoryShare share;
  share.budget_ = budget;
  share.bytes_ = bytes;
  return share;
}

MemoryShare::~MemoryShare() {
  if (budget_ != nullptr) budget_->used_.fetch_sub(bytes_);
}

}  // namespace mace
