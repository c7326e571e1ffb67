// Chains that begin with a Conv2d.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/fused/chain_table.h"
#include "mace/cpu/fused/fused_conv.h"

namespace mace::cpu::chains {

PrepareChain Conv2d() { return PrepareFusedConv; }

}  // namespace mace::cpu::chains
