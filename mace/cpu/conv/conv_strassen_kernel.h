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

// Whether the accuracy asked for allows it.
bool CanStrassen(const ConvShape& shape, const CpuContext& context);

// Whether a convolution is computed by Strassen's method: the same wherever
// it runs, so that its bits are.
bool IsStrassen(const Operand& filter, const ConvShape& shape,
                const CpuContext& context);

// The filter, a constant of layout OIHW, packed for it.
// Errors: MACE_OUT_OF_RESOURCES.
Result<std::shared_ptr<const void>> PackStrassen(const Operand& filter,
                                                 const ConvShape& shape,
                                                 CpuContext& context);

// The node's convolution. `addend`: and the sum of its result with one more
// input, which follows those of the node.
Result<KernelPtr> PrepareConvStrassen(const Node& node, const ConvNode& conv,
                                      bool addend,
                                      const ActivationFunction& sum_activation,
                                      CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_STRASSEN_KERNEL_H_
