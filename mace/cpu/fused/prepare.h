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

// Returns null if this build has no kernel for the op. Thread-safe; the result
// is static.
const CpuKernelDefs* FindKernelDefs(const std::string& op);

// PrepareNode finds the kernel by the op, the type of input 0 (output 0 if
// there is no input), and whether it is quantized; a node none of whose outputs
// has elements gets a kernel that does nothing. PrepareLinks does the same for
// several fused nodes, by the op of the first (chain_table.h), or calls
// PrepareNode for a single one. Errors: as NodeKernels::Prepare and
// NodeKernels::PrepareFused.
Result<KernelPtr> PrepareLinks(const std::vector<FusedNode>& links,
                               CpuContext& context);
Result<KernelPtr> PrepareNode(const Node& node, CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_FUSED_PREPARE_H_
