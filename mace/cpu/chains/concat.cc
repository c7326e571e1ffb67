// Chains that begin with a Concat.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/fused/chain_table.h"
#include "mace/cpu/fused/fused_shuffle.h"

namespace mace::cpu::chains {

PrepareChain Concat() { return PrepareFusedShuffle; }

}  // namespace mace::cpu::chains
