// PrepareDeconvDepthwise: a transposed convolution with one input and one
// output for each group. SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_DECONV_DEPTHWISE_H_
#define MACE_CPU_DECONV_DEPTHWISE_H_

#include "mace/cpu/activation.h"
#include "mace/cpu/cpu_context.h"
#include "mace/cpu/reference/conv.h"
#include "mace/device/kernel.h"
#include "mace/graph/node.h"

namespace mace::cpu {

// Each phase of the stride is a depthwise convolution, whose outputs lie a
// stride apart. REQUIRES: shape.in_per_group() and out_per_group() are 1.
// Errors: MACE_OUT_OF_RESOURCES.
Result<KernelPtr> PrepareDeconvDepthwise(const Node& node,
                                         const ConvShape& shape,
                                         const ActivationFunction& activation,
                                         CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_DECONV_DEPTHWISE_H_
