// CpuIdentity: names the processor for which measured times hold.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_TUNING_CPU_IDENTITY_H_
#define MACE_CPU_TUNING_CPU_IDENTITY_H_

#include <string>

#include "mace/base/cpu_features.h"

namespace mace::cpu {

// Returns the processor's name from <root>/cpuinfo (those of all kinds of
// cores), its instruction sets and the number of threads. Times that were
// measured with one identity mean nothing with another. Tests pass another
// `root` than "/proc".
std::string CpuIdentity(CpuFeatures features, int num_threads,
                        const std::string& root = "/proc");

}  // namespace mace::cpu

#endif  // MACE_CPU_TUNING_CPU_IDENTITY_H_
