// The one owner of how convolutions and matrix products are computed.
// SPDX-License-Identifier: Apache-2.0
//
// PlanConv decides, by the cost model or as the context asks for; kernels,
// fused kernels, the tuner and what people are shown read its result. The same
// node has the same plan alone and fused with others, on any number of threads.
#ifndef MACE_CPU_CONV_CONV_PLAN_H_
#define MACE_CPU_CONV_CONV_PLAN_H_

#include <vector>

#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/conv/gemm_pack.h"
#include "mace/cpu/reference/conv.h"
#include "mace/device/device.h"

namespace mace::cpu {

// How a convolution is computed. `filter` is of layout OIHW. `link`: which of
// the nodes of a fused kernel it is.
NodePlan PlanConv(const Operand& filter, const ConvShape& shape,
                  const CpuContext& context, size_t link = 0);

// The same if it has to be one matrix product for each group, for filters of
// any layout.
NodePlan PlanConvProduct(const Operand& filter, const ConvShape& shape,
                         const CpuContext& context);

// Every method that computes it within the accuracy asked for, as the cost
// model would have it run.
std::vector<NodePlan> ConvMethods(const Operand& filter, const ConvShape& shape,
                                  const CpuContext& context);

// How the matrix product of another op with `b` runs.
GemmPlan PlanGemm(const Operand& b, const GemmSize& size,
                  const CpuContext& context);

// NodePlan::tile of a depthwise convolution.
int64_t PlanDepthwiseTile(const CpuContext& context, size_t link = 0);

// How a node of any op is computed; of Method::kNone where there is nothing to
// choose.
NodePlan PlanNode(const Node& node, const CpuContext& context, size_t link = 0);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_PLAN_H_
