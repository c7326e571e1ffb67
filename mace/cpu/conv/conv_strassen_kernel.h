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

// The filter, a constant of layout OIHW, packed for Strassen's method with this
// micro-kernel.
// Errors: MACE_OUT_OF_RESOURCES.
Result<std::shared_ptr<const void>> PackStrassen(const Operand& filter,
                                                 const ConvShape& shape,
                                                 const GemmUkernel& micro,
                                                 CpuContext& context);

// The node's convolution. `addend`: and the sum of its result with one more
// input, which follows those of the node.
// REQUIRES: the plan's method is Strassen's.
Result<KernelPtr> PrepareConvStrassen(const Node& node, const ConvNode& conv,
                                      const NodePlan& plan, bool addend,
                                      const ActivationFunction& sum_activation,
                                      CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_STRASSEN_KERNEL_H_
