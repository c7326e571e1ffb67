// Decides which convolutions run as one kernel.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_FUSED_FUSED_CONV_H_
#define MACE_CPU_FUSED_FUSED_CONV_H_

#include <vector>

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/device.h"

namespace mace::cpu {

// Prepares the kernel of fused nodes: Conv2d, DepthwiseConv2d, Conv2d, or two
// of them in a row of which one is the depthwise convolution; after a Conv2d
// of floats also the Eltwise that adds another tensor. Errors: MACE_UNSUPPORTED
// for any other nodes, and if the tensors between them stay in a cache anyway.
Result<KernelPtr> PrepareFusedConv(const std::vector<FusedNode>& chain,
                                   CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_FUSED_FUSED_CONV_H_
