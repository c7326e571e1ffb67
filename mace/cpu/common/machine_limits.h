// MachineLimits: what a CPU can do at most, measured.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_MACHINE_LIMITS_H_
#define MACE_CPU_COMMON_MACHINE_LIMITS_H_

#include <cstdint>

#include "mace/base/cpu_features.h"
#include "mace/base/status.h"
#include "mace/base/thread_pool.h"

namespace mace::cpu {

// Of all threads together.
struct MachineLimits {
  double gflops = 0;       // multiply-adds count twice
  double memory_gbps = 0;  // 10^9 bytes a second of a triad, memory to memory
  // Of the largest cache, as the system says; 0: it does not.
  int64_t cache_bytes = 0;
};

// The best of a few tries, together about 0.2 s; needs 192 MiB for that time.
// Errors: MACE_OUT_OF_RESOURCES.
Result<MachineLimits> MeasureLimits(ThreadPool* threads, CpuFeatures features);

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_MACHINE_LIMITS_H_
