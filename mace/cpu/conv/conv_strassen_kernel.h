// The kernel of convolutions that run by Strassen's method.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_CONV_STRASSEN_KERNEL_H_
#define MACE_CPU_CONV_CONV_STRASSEN_KERNEL_H_

#include <memory>

#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/conv/conv_node.h"
#include "mace/cpu/conv/strassen.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Packs a constant filter of layout OIHW for Strassen's method with this
// micro-kernel. Errors: MACE_OUT_OF_RESOURCES.
Result<std::shared_ptr<const void>> PackStrassen(const Operand& filter,
                                                 const ConvShape& shape,
                                                 const GemmUkernel& micro,
                                                 CpuContext& context);

// Makes the kernel of the node's convolution. With `addend`, it also adds one
// more input, which follows those of the node. REQUIRES: the plan's method is
// Strassen's. Errors: MACE_OUT_OF_RESOURCES.
Result<KernelPtr> PrepareConvStrassen(const Node& node, const ConvNode& conv,
                                      const NodePlan& plan, bool addend,
                                      const ActivationFunction& sum_activation,
                                      CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_STRASSEN_KERNEL_H_
