// Decides which convolutions run as one kernel.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_FUSED_FUSED_CONV_H_
#define MACE_CPU_FUSED_FUSED_CONV_H_

#include <vector>

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/device.h"

namespace mace::cpu {

// Prepares the kernel of fused nodes: Conv2d and DepthwiseConv2d alternating, 2
// to Lines::kMaxStages of them, of which every Conv2d but the first is 1x1;
// after a Conv2d also the Eltwise that adds another tensor. A single Conv2d and
// its Eltwise may be f32 or fp16, several convolutions f32; quantized ones go
// to PrepareFusedConvQ8. Filters are constants, and the batch is 1. Errors:
// MACE_UNSUPPORTED for any other nodes, and if the tensors between them stay in
// a cache anyway; MACE_OUT_OF_RESOURCES.
Result<KernelPtr> PrepareFusedConv(const std::vector<FusedNode>& chain,
                                   CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_FUSED_FUSED_CONV_H_
