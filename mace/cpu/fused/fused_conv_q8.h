// Convolutions of quantized values that one kernel computes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_FUSED_FUSED_CONV_Q8_H_
#define MACE_CPU_FUSED_FUSED_CONV_Q8_H_

#include <vector>

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/device.h"

namespace mace::cpu {

// Prepares a convolution, a depthwise convolution and a 1x1 convolution, or two
// that follow each other among them, as one kernel that computes them line by
// line: the tensors between them are a few lines. Every value is the same as of
// the separate kernels. Errors: MACE_UNSUPPORTED if these nodes are others, or
// are as fast one by one.
Result<KernelPtr> PrepareFusedConvQ8(const std::vector<FusedNode>& chain,
                                     CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_FUSED_FUSED_CONV_Q8_H_
