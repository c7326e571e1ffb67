// The kernel of convolutions that run as a matrix product, for several ops.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_KERNEL_H_
#define MACE_CPU_CONV_KERNEL_H_

#include "mace/cpu/cpu_context.h"
#include "mace/cpu/reference/conv.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// How a filter tensor stores the taps between output channel o and input
// channel c of its group: at (o * out_stride + c * in_stride) * taps. Groups
// are group_stride * taps apart.
struct FilterLayout {
  const char* name;
  int64_t group_stride;
  int64_t out_stride;
  int64_t in_stride;
};

// A grouped convolution of node's x (input 0) with its filter (1) and bias (2).
Result<KernelPtr> PrepareConvGemm(const Node& node, const ConvShape& shape,
                                  const FilterLayout& filter,
                                  const ActivationFunction& activation,
                                  CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_KERNEL_H_
