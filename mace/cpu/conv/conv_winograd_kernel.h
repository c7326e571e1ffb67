// The kernel of convolutions that run by Winograd's algorithm.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_CONV_WINOGRAD_KERNEL_H_
#define MACE_CPU_CONV_CONV_WINOGRAD_KERNEL_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/reference/conv.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Makes the kernel of a Winograd convolution of input 0 with the filter (input
// 1) and the bias (input 2, if present). REQUIRES: the filter is a constant of
// layout OIHW; the plan's method is Winograd's. Errors: MACE_OUT_OF_RESOURCES.
Result<KernelPtr> PrepareConvWinograd(const Node& node, const ConvShape& shape,
                                      const NodePlan& plan,
                                      const ActivationFunction& activation,
                                      CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_WINOGRAD_KERNEL_H_
