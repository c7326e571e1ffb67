// Names a node or fused op in stored tuning results, and estimates its cost.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_TUNING_TUNING_TASK_H_
#define MACE_CPU_TUNING_TUNING_TASK_H_

#include <string>
#include <vector>

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/device.h"

namespace mace::cpu {

// Returns a text with everything that determines how long the nodes take on a
// given CPU: context.max_winograd, ops, attributes, types and shapes of inputs,
// which of them are constant, and which are the previous node's result.
std::string KeyOf(const std::vector<FusedNode>& links,
                  const CpuContext& context);

// Returns a rough estimate of the nodes' time, in multiply-adds: those of
// `kernel`, and some for each byte that is moved.
double CostOf(const Kernel& kernel, const std::vector<FusedNode>& links);

}  // namespace mace::cpu

#endif  // MACE_CPU_TUNING_TUNING_TASK_H_
