// CpuTopology: which cores are big and which are little, and binding threads
// to them.
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

// The cores that are online, by id, read from <root>/devices/system/cpu; all
// with max_khz 0 where the system does not tell. `root` is "/sys" but in tests.
std::vector<CpuCore> ReadCpuCores(const std::string& root = "/sys");

// The ids that a policy allows, fastest first. Big cores are those with the
// highest maximum frequency, little ones those with the lowest.
// HIGH_PERFORMANCE: cores above the average frequency, POWER_SAVE: the rest;
// where all are alike, every core.
std::vector<int> SelectCores(const std::vector<CpuCore>& cores,
                             CPUAffinityPolicy policy);

// Lets the calling thread, and the threads it creates while this object lives,
// run only on `core_ids`; restores the thread's own mask at the end. An empty
// list does nothing; a kernel that refuses is logged and otherwise ignored.
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
