// Finds and prepares the CPU kernels of nodes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_FUSED_PREPARE_H_
#define MACE_CPU_FUSED_PREPARE_H_

#include <string>
#include <vector>

#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/device/device.h"

namespace mace::cpu {

// Returns null if this build has no kernel for the op.
const CpuKernelDefs* FindKernelDefs(const std::string& op);

// Returns the kernel of one node, or of several fused nodes. Errors: as
// NodeKernels::Prepare and NodeKernels::PrepareFused.
Result<KernelPtr> PrepareLinks(const std::vector<FusedNode>& links,
                               CpuContext& context);
Result<KernelPtr> PrepareNode(const Node& node, CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_FUSED_PREPARE_H_
