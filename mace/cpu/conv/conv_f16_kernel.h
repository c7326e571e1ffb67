// The kernel of convolutions whose activations are fp16.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_CONV_F16_KERNEL_H_
#define MACE_CPU_CONV_CONV_F16_KERNEL_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/conv/conv_node.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Whether a Conv2d with f32 activations may as well have f16 ones.
bool ConvComputesFp16(const Node& node, const CpuContext& context);

// A Conv2d from f16 to f16. REQUIRES: its filter is constant, there are no
// groups.
Result<KernelPtr> PrepareConvF16(const Node& node, const ConvNode& conv,
                                 CpuContext& context);

// The same plus one more input, which follows those of the node. Errors:
// MACE_UNSUPPORTED where the convolution has an activation of its own, or the
// sum one that is no clamp.
Result<KernelPtr> PrepareConvSumF16(const Node& node, const ConvNode& conv,
                                    const ActivationFunction& sum_activation,
                                    CpuContext& context);

// A FullyConnected of m rows from f16 to f16. REQUIRES: HasFp16Weights(node).
Result<KernelPtr> PrepareFullyConnectedF16(const Node& node, int64_t m,
                                           const ActivationFunction& activation,
                                           CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_F16_KERNEL_H_
