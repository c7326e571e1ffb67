// CpuTopology: which cores are big and which are little, and how threads are
// bound to them.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_CPU_TOPOLOGY_H_
#define MACE_BASE_CPU_TOPOLOGY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mace/base/status.h"
#include "mace/public/mace_runtime.h"

namespace mace {

struct CpuCore {
  int id;
  int64_t max_khz;  // 0: unknown
};

// Returns the cores that are online, sorted by id, as listed in
// <root>/devices/system/cpu. max_khz is 0 where the system does not report it.
// Only tests pass another `root` than "/sys".
std::vector<CpuCore> ReadCpuCores(const std::string& root = "/sys");

// Returns the ids of the cores that a policy allows, fastest first. Big cores
// have the highest maximum frequency, little cores the lowest. HIGH_PERFORMANCE
// allows the cores above the average frequency and POWER_SAVE the others. If
// all cores are alike, every policy allows all of them.
std::vector<int> SelectCores(const std::vector<CpuCore>& cores,
                             CPUAffinityPolicy policy);

// Restricts the calling thread, and threads that it creates while this object
// lives, to `core_ids`. The destructor restores the thread's own mask. An empty
// list changes nothing. If the operating system refuses, that is logged and the
// thread keeps its cores.
class ScopedAffinity {
 public:
  explicit ScopedAffinity(const std::vector<int>& core_ids);
  ~ScopedAffinity();
  ScopedAffinity(const ScopedAffinity&) = delete;
  ScopedAffinity& operator=(const ScopedAffinity&) = delete;

 private:
  std::vector<uint8_t> saved_;
};

}  // namespace mace

#endif  // MACE_BASE_CPU_TOPOLOGY_H_
