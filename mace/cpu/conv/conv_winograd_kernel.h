// The kernel of convolutions that run by Winograd's algorithm.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_CONV_WINOGRAD_KERNEL_H_
#define MACE_CPU_CONV_CONV_WINOGRAD_KERNEL_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/reference/conv.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Winograd's convolution of node's x (input 0) with its filter (1), a constant
// of layout OIHW, and bias (2). REQUIRES: the plan's method is Winograd's.
Result<KernelPtr> PrepareConvWinograd(const Node& node, const ConvShape& shape,
                                      const NodePlan& plan,
                                      const ActivationFunction& activation,
                                      CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_WINOGRAD_KERNEL_H_
