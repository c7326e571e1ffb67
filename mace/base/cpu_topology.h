// CpuTopology: which cores are big and which are little, and how threads are
// bound to them.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_CPU_TOPOLOGY_H_
#define MACE_BASE_CPU_TOPOLOGY_H_

#include <sched.h>

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
// <root>/devices/system/cpu/online; core 0 if that file cannot be read, does
// not begin with a list, or lists a core from CPU_SETSIZE (1024) on. max_khz is
// 0 where the system does not report it. Only tests pass another `root` than
// "/sys".
std::vector<CpuCore> ReadCpuCores(const std::string& root = "/sys");

// Returns the ids of the cores that a policy allows, fastest first. Big cores
// have the highest maximum frequency, little cores the lowest. HIGH_PERFORMANCE
// allows the cores above the average frequency and POWER_SAVE the others; NONE
// allows all. If all cores have the same maximum frequency, every policy allows
// all of them.
std::vector<int> SelectCores(const std::vector<CpuCore>& cores,
                             CPUAffinityPolicy policy);

// Removes the cores that the calling thread may not use: those outside of its
// mask, as `taskset` and cpusets set it. If it may use none of them, or its
// mask cannot be read, all stay.
void RemoveForbidden(std::vector<CpuCore>* cores);

// The cores of the worker threads of an engine.
struct WorkerCores {
  WorkerCores();  // all
  // All that the callers of the engine may use. Of these, workers begin in the
  // fastest clusters that have `num_threads` cores together.
  static WorkerCores Any(const std::vector<CpuCore>& cores, int num_threads);
  static WorkerCores Only(const std::vector<int>& ids);

  bool is_bound = false;  // to `cores`
  cpu_set_t cores;        // where they run or, if not bound, begin
};

// Computes `*beginning`, the cores on which a sleeping worker is to begin: not
// the core of the thread that wakes it, where the scheduler likes to put it and
// where it would wait. `caller` is the mask of the waking thread, which runs on
// core `caller_core` (negative: unknown). `*worker` is the worker's mask, and
// becomes the mask that the worker restores when it runs, so that the scheduler
// can move it to any idle core. Returns false if there is no other core.
bool BeginningOf(const WorkerCores& cores, const cpu_set_t& caller,
                 int caller_core, cpu_set_t* worker, cpu_set_t* beginning);

// Restricts the calling thread, and threads that it creates while this object
// lives, to the cores to which workers are bound; does nothing if they are not
// bound. The destructor restores the thread's own mask. If the operating system
// refuses, logs a warning, and the thread keeps its cores.
class ScopedAffinity {
 public:
  explicit ScopedAffinity(const WorkerCores& workers);
  ~ScopedAffinity();
  ScopedAffinity(const ScopedAffinity&) = delete;
  ScopedAffinity& operator=(const ScopedAffinity&) = delete;

 private:
  bool is_restricted_ = false;
  cpu_set_t saved_;
};

}  // namespace mace

#endif  // MACE_BASE_CPU_TOPOLOGY_H_
