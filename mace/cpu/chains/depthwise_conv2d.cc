// Chains that begin with a DepthwiseConv2d.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/fused/chain_table.h"
#include "mace/cpu/fused/fused_conv.h"

namespace mace::cpu::chains {

PrepareChain DepthwiseConv2d() { return PrepareFusedConv; }

}  // namespace mace::cpu::chains
