// CpuIdentity: which processor measured times hold for.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CPU_IDENTITY_H_
#define MACE_CPU_CPU_IDENTITY_H_

#include <string>

#include "mace/base/cpu_features.h"

namespace mace::cpu {

// The processor's name as <root>/cpuinfo has it, its instruction sets and the
// number of threads. `root` is "/proc" but in tests.
std::string CpuIdentity(CpuFeatures features, int num_threads,
                        const std::string& root = "/proc");

}  // namespace mace::cpu

#endif  // MACE_CPU_CPU_IDENTITY_H_
