// Decides how convolutions and matrix products are computed.
// SPDX-License-Identifier: Apache-2.0
//
// PlanConv alone chooses the algorithm, by the cost model or as
// CpuContext::asked demands; kernels, fused kernels, the tuner and dumps read
// its result. A node has the same plan alone and fused with others, and on any
// number of threads.
#ifndef MACE_CPU_CONV_CONV_PLAN_H_
#define MACE_CPU_CONV_CONV_PLAN_H_

#include <vector>

#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/gemm/gemm_pack.h"
#include "mace/cpu/reference/conv.h"
#include "mace/device/device.h"

namespace mace::cpu {

// Returns how a convolution of an input of type `x` is computed: kF32, or for
// quantized inputs kI8 or kU8, whose filters are quantized, too. The layout of
// `filter` is OIHW. `link` is the node's index among the nodes of a fused
// kernel.
NodePlan PlanConv(DataType x, const Operand& filter, const ConvShape& shape,
                  const CpuContext& context, size_t link = 0);

// Returns the cost model's plan for a convolution that must run as a matrix
// product for each group. Ignores CpuContext::asked. The filter may have any
// layout.
NodePlan PlanConvGemm(const Operand& filter, const ConvShape& shape,
                      const CpuContext& context);

// Returns a plan for each method (and each tile of Winograd's) that computes
// this convolution and that CpuContext::max_winograd permits, the matrix
// product first, with the micro-kernels that the cost model chooses.
std::vector<NodePlan> ConvMethods(const Operand& filter, const ConvShape& shape,
                                  const CpuContext& context);

// Returns how another op multiplies by the matrix `b`.
GemmPlan PlanGemm(const Operand& b, const GemmSize& size,
                  const CpuContext& context);

// Returns NodePlan::tile of a depthwise convolution: as CpuContext::asked says,
// else 0.
int64_t PlanDepthwiseTile(const CpuContext& context, size_t link = 0);

// Returns how a node of any op is computed. The method is Method::kNone if
// there is nothing to choose.
NodePlan PlanNode(const Node& node, const CpuContext& context, size_t link = 0);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_PLAN_H_
