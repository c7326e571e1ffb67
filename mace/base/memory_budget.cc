// Counting bytes, and how many a machine has.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/memory_budget.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "mace/base/file.h"
#include "mace/base/fork.h"
#include "mace/base/make_shared.h"
#include "mace/base/str_cat.h"

namespace mace {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

// The budget that is current on this thread; null: the machine's.
thread_local const std::shared_ptr<MemoryBudget>* current = nullptr;

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

// The number behind a word of a file, times `unit`; `otherwise` if it is not
// there.
int64_t NumberBehind(const std::string& text, const char* word, int64_t unit,
                     int64_t otherwise) {
  const size_t length = std::strlen(word);
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    if (text.compare(at, length, word) == 0) {
      return std::strtoll(text.c_str() + at + length, nullptr, 10) * unit;
    }
    if (text.find('\n', at) == std::string::npos) break;
  }
  return otherwise;
}

// What a control group may still take: its limit, without what it has taken.
// Pages of files are given back when they are needed.
int64_t LeftIn(const std::string& folder, const char* limit_file,
               const char* used_file) {
  const int64_t limit = LimitIn(StrCat(folder, "/", limit_file));
  const int64_t used = LimitIn(StrCat(folder, "/", used_file));
  if (limit == kUnlimited || used == kUnlimited) return limit;
  const std::string stat = ReadShortFile(StrCat(folder, "/memory.stat"));
  const int64_t files = NumberBehind(stat, "inactive_file ", 1, 0) +
                        NumberBehind(stat, "active_file ", 1, 0);
  return std::max<int64_t>(0, limit - std::max<int64_t>(0, used - files));
}

// The least that a control group and those around it may still take.
int64_t LeastLeft(const std::string& folder, std::string group,
                  const char* limit_file, const char* used_file) {
  int64_t left = LeftIn(folder, limit_file, used_file);
  while (group.size() > 1) {
    left = std::min(left, LeftIn(StrCat(folder, group), limit_file, used_file));
    group.resize(group.rfind('/'));
  }
  return left;
}

// Of the control groups of this process: a line of /proc/self/cgroup each,
// "0::/group" (version 2) or "4:memory:/group" (version 1). `left`: not their
// limits, but what is left of these.
int64_t ControlGroupLimit(const std::string& root, bool left) {
  const std::string text = ReadShortFile(StrCat(root, "/proc/self/cgroup"));
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
      const std::string folder = StrCat(root, "/sys/fs/cgroup");
      limit = std::min(
          limit, left ? LeastLeft(folder, group, "memory.max", "memory.current")
                      : LeastLimit(folder, group, "memory.max"));
    } else if (kinds == "memory") {
      const std::string folder = StrCat(root, "/sys/fs/cgroup/memory");
      limit = std::min(
          limit, left ? LeastLeft(folder, group, "memory.limit_in_bytes",
                                  "memory.usage_in_bytes")
                      : LeastLimit(folder, group, "memory.limit_in_bytes"));
    }
  }
  return limit;
}

int64_t ReadMachineMemory() {
  // No buffer is larger than what a pointer can reach, on 32 bits 2 GiB.
  int64_t limit = std::min<int64_t>(ControlGroupLimit("", false),
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

int64_t AvailableMemoryBytes(const std::string& root) {
  int64_t available = MachineMemoryBytes();
  available = std::min(available, ControlGroupLimit(root, true));
  available = std::min(
      available, NumberBehind(ReadShortFile(StrCat(root, "/proc/meminfo")),
                              "MemAvailable:", 1024, kUnlimited));
  rlimit space;
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    const int64_t used = NumberBehind(
        ReadShortFile(StrCat(root, "/proc/self/status")), "VmSize:", 1024, 0);
    const auto limit = static_cast<int64_t>(
        std::min<rlim_t>(space.rlim_cur, static_cast<rlim_t>(kUnlimited)));
    available = std::min(available, std::max<int64_t>(0, limit - used));
  }
  return available;
}

std::shared_ptr<MemoryBudget> MemoryBudget::Default() {
  const int64_t available = AvailableMemoryBytes();
  return MakeShared<MemoryBudget>(available / 4 * 3, available);
}

bool MemoryBudget::Allows(int64_t bytes, int64_t used) const {
  if (bytes < 0) return false;
  // A sum that overflows is beyond any limit.
  if (bytes <= limit_ - std::min(used, limit_)) return true;
  return available_ > 0 && bytes <= AvailableMemoryBytes();
}

int64_t MachineMemoryBytes() {
  const HoldFork hold_fork;
  static const int64_t bytes = ReadMachineMemory();
  return bytes;
}

const std::shared_ptr<MemoryBudget>& MemoryBudget::Current() {
  if (current != nullptr) return *current;
  const HoldFork hold_fork;
  static const auto* machine = new std::shared_ptr<MemoryBudget>(Default());
  return *machine;
}

ScopedMemoryBudget::ScopedMemoryBudget(std::shared_ptr<MemoryBudget> budget)
    : budget_(std::move(budget)), outer_(current) {
  current = &budget_;
}

ScopedMemoryBudget::~ScopedMemoryBudget() { current = outer_; }

Result<MemoryShare> MemoryShare::Take(int64_t bytes, const char* what) {
  const std::shared_ptr<MemoryBudget>& budget = MemoryBudget::Current();
  int64_t before = budget->used_.load();
  do {
    if (budget->Allows(bytes, before)) continue;
    return OutOfResources(
        bytes, " bytes for ", what, " are more than is left: ", before, " of ",
        budget->limit_, " bytes are taken (",
        budget->available_ == 0
            ? std::string("the limit of SetMemoryLimit")
            : StrCat("by default three quarters of the ", budget->available_,
                     " bytes that were available; now ", AvailableMemoryBytes(),
                     " are; SetMemoryLimit sets a "
                     "limit"),
        ")");
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
