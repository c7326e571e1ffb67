// MachineLimits: measures the peak performance of a CPU.
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
  double gflops = 0;  // 10^9 operations/s; a multiply-add counts twice
  // The same for int8 dot products that add up in int32, without AMX's tiles.
  double int8_gops = 0;
  double memory_gbps = 0;  // 10^9 bytes/s of a triad, memory to memory
  double read_gbps = 0;    // 10^9 bytes/s that are read from memory
  // Size of the largest of the L2 and L3 caches; 0 if the system does not tell.
  int64_t cache_bytes = 0;
};

// Returns the best of a few tries, which take about 0.2 s and 192 MiB together.
// For benchmarks: no engine calls it. Other work on the machine lowers the
// results. Errors: MACE_OUT_OF_RESOURCES.
Result<MachineLimits> MeasureLimits(ThreadPool* threads, CpuFeatures features);

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_MACHINE_LIMITS_H_
