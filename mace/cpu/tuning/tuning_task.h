// What a node or chain is called in kept tuning results, and what it may cost.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_TUNING_TUNING_TASK_H_
#define MACE_CPU_TUNING_TUNING_TASK_H_

#include <string>
#include <vector>

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/device.h"

namespace mace::cpu {

// Everything that decides how long the nodes take, as text.
std::string KeyOf(const std::vector<FusedNode>& links,
                  const CpuContext& context);

// About how long they take, in multiply-adds.
double CostOf(const Kernel& kernel, const std::vector<FusedNode>& links);

}  // namespace mace::cpu

#endif  // MACE_CPU_TUNING_TUNING_TASK_H_
