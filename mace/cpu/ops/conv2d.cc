// Conv2d on the CPU: by Winograd's or Strassen's method where it pays, else a
// matrix product of patches and packed filters.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_inputs.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/conv/conv_kernel.h"
#include "mace/cpu/conv/conv_node.h"
#include "mace/cpu/conv/conv_plan.h"
#include "mace/cpu/conv/conv_q8.h"
#include "mace/cpu/gemm/q16.h"
#include "mace/cpu/winograd/conv_winograd_q8.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareConv2dF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ConvNode conv, ReadConv2d(node));
  const ConvShape& s = conv.shape;
  const ActivationFunction& act = conv.activation;
  if (context.reference) {
    return MakeKernel([s = conv.shape,
                       act = conv.activation](const RunArgs& args) {
      ReferenceConv(ConvKind::kPlain, s, act, args.inputs[0].as<const float>(),
                    args.inputs[1].as<const float>(), BiasF32(args),
                    args.outputs[0].as<float>());
    });
  }
  const NodePlan plan = PlanConv(DataType::kF32, node.inputs[1], s, context);
  switch (plan.method) {
    case Method::kWinograd:
      return PrepareConvWinograd(node, s, plan, act, context);
    case Method::kStrassen:
      return PrepareConvStrassen(node, conv, plan, /*addend=*/false, {},
                                 context);
    default:
      return PrepareConvGemm(node, s, Oihw(s), act, plan, context);
  }
}

Result<KernelPtr> PrepareConv2dF16(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ConvNode conv, ReadConv2d(node));
  return PrepareConvF16(node, conv, context);
}

Result<KernelPtr> PrepareConv2dQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ConvNode conv, ReadConv2d(node));
  const NodePlan plan =
      PlanConv(node.inputs[0].type.dtype, node.inputs[1], conv.shape, context);
  if (plan.method == Method::kWinograd) {
    return PrepareConvWinogradQ8(node, conv.shape, context);
  }
  return PrepareConvQ8(node, conv.shape, context);
}

}  // namespace

CpuKernelDefs Conv2d() {
  return WithFp16(
      WithQ16(WithQ8({{DataType::kF32, PrepareConv2dF32, 1}}, PrepareConv2dQ8),
              PrepareConvQ16),
      {DataType::kF16, PrepareConv2dF16, 1, ConvComputesFp16});
}

}  // namespace mace::cpu
