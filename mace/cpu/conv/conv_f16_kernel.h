// The kernel of convolutions whose activations are fp16.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_CONV_F16_KERNEL_H_
#define MACE_CPU_CONV_CONV_F16_KERNEL_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/conv/conv_node.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Returns whether a Conv2d whose activations are f32 can also compute in f16.
bool ConvComputesFp16(const Node& node, const CpuContext& context);

// Makes the kernel of a Conv2d with f16 input and output. Errors:
// MACE_UNSUPPORTED if the filter is not a constant stored as f16, or if there
// are several groups; MACE_OUT_OF_RESOURCES.
Result<KernelPtr> PrepareConvF16(const Node& node, const ConvNode& conv,
                                 CpuContext& context);

// The same, and adds one more input, which follows those of the node. Errors:
// also MACE_UNSUPPORTED if the convolution has an activation of its own, or if
// the sum has one that is not a clamp.
Result<KernelPtr> PrepareConvSumF16(const Node& node, const ConvNode& conv,
                                    const ActivationFunction& sum_activation,
                                    CpuContext& context);

// Makes the kernel of a FullyConnected of m rows with f16 input and output.
// REQUIRES: HasFp16Weights(node).
Result<KernelPtr> PrepareFullyConnectedF16(const Node& node, int64_t m,
                                           const ActivationFunction& activation,
                                           CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_F16_KERNEL_H_
