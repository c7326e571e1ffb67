// Chains that begin with an Activation.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/fused/chain_table.h"
#include "mace/cpu/fused/fused_lut.h"

namespace mace::cpu::chains {

PrepareChain Activation() { return PrepareFusedLut; }

}  // namespace mace::cpu::chains
