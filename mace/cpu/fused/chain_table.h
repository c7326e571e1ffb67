// The chains of nodes that one CPU kernel computes, by the op of the first
// node: a table written from the file names in mace/cpu/chains. conv2d.cc must
// define `PrepareChain cpu::chains::Conv2d()`.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_FUSED_CHAIN_TABLE_H_
#define MACE_CPU_FUSED_CHAIN_TABLE_H_

#include <vector>

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/device.h"

namespace mace {

// Errors: as NodeKernels::PrepareFused.
using PrepareChain = Result<KernelPtr> (*)(const std::vector<FusedNode>& chain,
                                           CpuContext& context);

// PrepareLinks (prepare.h) searches the table for the op of the first node. A
// chain that is refused runs node by node.
struct CpuChainEntry {
  const char* op;
  PrepareChain (*chain)();
};
extern const CpuChainEntry kCpuChains[];
extern const int kNumCpuChains;

}  // namespace mace

#endif  // MACE_CPU_FUSED_CHAIN_TABLE_H_
