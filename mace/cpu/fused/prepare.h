// Finding and preparing the CPU kernel of nodes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_FUSED_PREPARE_H_
#define MACE_CPU_FUSED_PREPARE_H_

#include <string>
#include <vector>

#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/device/device.h"

namespace mace::cpu {

// Null if this build has none.
const CpuKernelDefs* FindKernelDefs(const std::string& op);

// The kernel of a node, or the one of a chain of several.
// Errors: as NodeKernels::Prepare and NodeKernels::PrepareFused.
Result<KernelPtr> PrepareLinks(const std::vector<FusedNode>& links,
                               CpuContext& context);
Result<KernelPtr> PrepareNode(const Node& node, CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_FUSED_PREPARE_H_
