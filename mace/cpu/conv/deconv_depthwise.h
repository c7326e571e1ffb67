// PrepareDeconvDepthwise: a transposed convolution with small groups.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_DECONV_DEPTHWISE_H_
#define MACE_CPU_CONV_DECONV_DEPTHWISE_H_

#include "mace/cpu/common/activation.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/reference/conv.h"
#include "mace/device/kernel.h"
#include "mace/graph/node.h"

namespace mace::cpu {

// Returns whether PrepareDeconvDepthwise makes a faster kernel than matrix
// products, which compute `product_columns` columns for each output pixel (of
// all groups together, zeros included).
bool DeconvDepthwisePays(const ConvShape& shape, int64_t product_columns,
                         const CpuContext& context);

// Makes a kernel that computes each phase of the stride as a depthwise
// convolution, whose outputs are a stride apart. REQUIRES: DeconvDepthwisePays.
// Errors: MACE_OUT_OF_RESOURCES; MACE_UNSUPPORTED if its tables would be too
// large.
Result<KernelPtr> PrepareDeconvDepthwise(const Node& node,
                                         const ConvShape& shape,
                                         const ActivationFunction& activation,
                                         CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_DECONV_DEPTHWISE_H_
