// Decides which convolutions run as one kernel.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_FUSED_FUSED_CONV_H_
#define MACE_CPU_FUSED_FUSED_CONV_H_

#include <vector>

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/device.h"

namespace mace::cpu {

// Prepares the kernel of fused nodes: in f32 or fp16, a Conv2d and the Eltwise
// that adds another tensor to it; or, in f32, Conv2d and DepthwiseConv2d
// alternating, 2 to Lines::kMaxStages of them, of which every Conv2d but the
// first is 1x1, and perhaps such an Eltwise after the last one, if it is a
// Conv2d. Quantized nodes go to PrepareFusedConvQ8. Filters are constants, and
// the batch is 1. Errors: MACE_UNSUPPORTED for any other nodes, and if they are
// as fast one by one or `context` forbids fusion; MACE_OUT_OF_RESOURCES.
Result<KernelPtr> PrepareFusedConv(const std::vector<FusedNode>& chain,
                                   CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_FUSED_FUSED_CONV_H_
