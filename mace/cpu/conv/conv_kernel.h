// The kernel of convolutions that run as a matrix product, for several ops.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_CONV_KERNEL_H_
#define MACE_CPU_CONV_CONV_KERNEL_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/conv/conv_gemm.h"
#include "mace/cpu/conv/conv_node.h"
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

// Each group's filter as a matrix of kernel_h * kernel_w * in_per_group rows.
std::vector<GemmB> FilterMatrices(const ConvShape& shape,
                                  const FilterLayout& layout);

// A convolution of one group as a matrix product that runs as `plan` says.
ConvGemm::Spec ConvSpec(const ConvShape& shape,
                        const ActivationFunction& activation,
                        const GemmPlan& plan);

// The packed filters of the groups. Errors: MACE_OUT_OF_RESOURCES.
Result<PackedB> PackFilter(const Operand& filter, const ConvShape& shape,
                           const FilterLayout& layout, const GemmUkernel& micro,
                           CpuContext& context);

// A convolution as a matrix product, before it is blocked.
struct ConvProduct {
  PackedB filter;
  ConvGemm::Spec spec;
};
Result<ConvProduct> MakeConvProduct(const Operand& filter,
                                    const ConvShape& shape,
                                    const FilterLayout& layout,
                                    const ActivationFunction& activation,
                                    const GemmPlan& plan, CpuContext& context);

// The layout of Conv2d's filters.
inline FilterLayout Oihw(const ConvShape& s) {
  return {"oihw", s.out_per_group() * s.in_per_group(), s.in_per_group(), 1};
}

// A grouped convolution of node's x (input 0) with its filter (1) and bias (2).
// REQUIRES: the plan's method is a product.
Result<KernelPtr> PrepareConvGemm(const Node& node, const ConvShape& shape,
                                  const FilterLayout& filter,
                                  const ActivationFunction& activation,
                                  const NodePlan& plan, CpuContext& context);

// A Conv2d and the sum of its result with one more input, which follows those
// of the node. REQUIRES: the filter is constant; the method is not Winograd's.
Result<KernelPtr> PrepareConvSum(const Node& node, const ConvNode& conv,
                                 const NodePlan& plan,
                                 const ActivationFunction& sum_activation,
                                 CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_KERNEL_H_
