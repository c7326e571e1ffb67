// Convolutions of quantized values that one kernel computes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_FUSED_FUSED_CONV_Q8_H_
#define MACE_CPU_FUSED_FUSED_CONV_Q8_H_

#include <vector>

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/device.h"

namespace mace::cpu {

// Prepares alternating Conv2d and DepthwiseConv2d nodes, 2 to Lines::kMaxStages
// of them, of which every Conv2d but the first is 1x1, with a batch of 1 and
// constant filters, as one kernel that computes them line by line: the tensors
// between them are a few lines. Every value is the same as of the separate
// kernels. Errors: MACE_UNSUPPORTED for any other nodes, and for those that are
// as fast one by one; MACE_OUT_OF_RESOURCES.
Result<KernelPtr> PrepareFusedConvQ8(const std::vector<FusedNode>& chain,
                                     CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_FUSED_FUSED_CONV_Q8_H_
