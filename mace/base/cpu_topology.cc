// Reading big.LITTLE from sysfs.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/cpu_topology.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "mace/base/file.h"
#include "mace/base/logging.h"
#include "mace/base/sort.h"
#include "mace/base/str_cat.h"

namespace mace {
namespace {

// "0-3,6" -> {0, 1, 2, 3, 6}; empty if malformed.
std::vector<int> ParseCpuList(const std::string& list) {
  std::vector<int> ids;
  const char* p = list.c_str();
  while (*p >= '0' && *p <= '9') {
    char* end;
    const long first = std::strtol(p, &end, 10);
    long last = first;
    if (*end == '-') last = std::strtol(end + 1, &end, 10);
    if (last < first || last >= CPU_SETSIZE) return {};
    for (long id = first; id <= last; ++id) ids.push_back(static_cast<int>(id));
    p = *end == ',' ? end + 1 : end;
  }
  return ids;
}

}  // namespace

std::vector<CpuCore> ReadCpuCores(const std::string& root) {
  const std::string cpu = StrCat(root, "/devices/system/cpu");
  const std::string online = ReadShortFile(StrCat(cpu, "/online"));
  std::vector<CpuCore> cores;
  for (int id : ParseCpuList(online)) {
    const std::string khz =
        ReadShortFile(StrCat(cpu, "/cpu", id, "/cpufreq/cpuinfo_max_freq"));
    cores.push_back({id, std::strtoll(khz.c_str(), nullptr, 10)});
  }
  if (cores.empty()) cores.push_back({0, 0});
  return cores;
}

std::vector<int> SelectCores(const std::vector<CpuCore>& cores,
                             CPUAffinityPolicy policy) {
  int64_t min = INT64_MAX, max = 0, sum = 0;
  for (const CpuCore& c : cores) {
    min = std::min(min, c.max_khz);
    max = std::max(max, c.max_khz);
    sum += c.max_khz;
  }
  const double average = static_cast<double>(sum) / cores.size();
  const auto allowed = [&](const CpuCore& c) {
    if (min == max) return true;
    switch (policy) {
      case AFFINITY_NONE:
        return true;
      case AFFINITY_BIG_ONLY:
        return c.max_khz == max;
      case AFFINITY_LITTLE_ONLY:
        return c.max_khz == min;
      case AFFINITY_HIGH_PERFORMANCE:
        return c.max_khz > average;
      case AFFINITY_POWER_SAVE:
        return c.max_khz <= average;
    }
    return true;
  };
  std::vector<CpuCore> selected;
  for (const CpuCore& c : cores) {
    if (allowed(c)) selected.push_back(c);
  }
  StableSort(&selected, [](const CpuCore& a, const CpuCore& b) {
    return a.max_khz > b.max_khz;
  });
  std::vector<int> ids;
  for (const CpuCore& c : selected) ids.push_back(c.id);
  return ids;
}

void RemoveForbidden(std::vector<CpuCore>* cores) {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof(mask), &mask) != 0) return;
  std::vector<CpuCore> allowed;
  for (const CpuCore& core : *cores) {
    if (CPU_ISSET(core.id, &mask)) allowed.push_back(core);
  }
  if (!allowed.empty()) *cores = std::move(allowed);
}

WorkerCores::WorkerCores() { std::memset(&cores, 0xff, sizeof(cores)); }

WorkerCores WorkerCores::Any(const std::vector<CpuCore>& cores,
                             int num_threads) {
  std::vector<CpuCore> fastest = cores;
  StableSort(&fastest, [](const CpuCore& a, const CpuCore& b) {
    return a.max_khz > b.max_khz;
  });
  WorkerCores workers;
  CPU_ZERO(&workers.cores);
  int64_t khz = 0;
  for (const CpuCore& core : fastest) {
    if (CPU_COUNT(&workers.cores) >= num_threads && core.max_khz != khz) break;
    CPU_SET(core.id, &workers.cores);
    khz = core.max_khz;
  }
  return workers;
}

WorkerCores WorkerCores::Only(const std::vector<int>& ids) {
  WorkerCores workers;
  workers.is_bound = true;
  CPU_ZERO(&workers.cores);
  for (int id : ids) CPU_SET(id, &workers.cores);
  return workers;
}

bool BeginningOf(const WorkerCores& cores, const cpu_set_t& caller,
                 int caller_core, cpu_set_t* worker, cpu_set_t* beginning) {
  // A cpuset that has grown since the worker slept shows in the caller's.
  cpu_set_t all;
  CPU_OR(&all, worker, &caller);
  if (cores.is_bound) CPU_AND(&all, &all, &cores.cores);
  if (CPU_COUNT(&all) > 0) *worker = all;
  CPU_AND(beginning, worker, &cores.cores);
  if (caller_core >= 0) CPU_CLR(caller_core, beginning);
  if (CPU_COUNT(beginning) > 0) return true;
  *beginning = *worker;
  if (caller_core >= 0) CPU_CLR(caller_core, beginning);
  return CPU_COUNT(beginning) > 0;
}

ScopedAffinity::ScopedAffinity(const WorkerCores& workers) {
  if (!workers.is_bound) return;
  if (sched_getaffinity(0, sizeof(saved_), &saved_) != 0 ||
      sched_setaffinity(0, sizeof(workers.cores), &workers.cores) != 0) {
    LOG(WARNING) << "cannot bind threads to cores: " << std::strerror(errno);
    return;
  }
  is_restricted_ = true;
}

ScopedAffinity::~ScopedAffinity() {
  if (is_restricted_) sched_setaffinity(0, sizeof(saved_), &saved_);
}

}  // namespace mace
