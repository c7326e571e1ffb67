// A Concat, its ChannelShuffle and the Split after it, in one pass.
// SPDX-License-Identifier: Apache-2.0
//
//   a  0 1 2 3     concatenated, shuffled in two groups:    split into halves:
//   b  4 5 6 7     0 4 1 5 2 6 3 7                          0 4 1 5 | 2 6 3 7
#ifndef MACE_CPU_FUSED_FUSED_SHUFFLE_H_
#define MACE_CPU_FUSED_FUSED_SHUFFLE_H_

#include <vector>

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/device.h"

namespace mace::cpu {

// Prepares the kernel of f32 nodes: a Concat of two tensors of one shape along
// the last axis, a ChannelShuffle in two groups and, perhaps, a Split into two
// along the last axis, the first of an even size. Errors: MACE_UNSUPPORTED for
// any other nodes.
Result<KernelPtr> PrepareFusedShuffle(const std::vector<FusedNode>& chain,
                                      CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_FUSED_FUSED_SHUFFLE_H_
