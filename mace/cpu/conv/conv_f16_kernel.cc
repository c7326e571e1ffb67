// The kernels of convolutions and matrix products that compute in fp16.
// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "mace/cpu/common/choose_gemm.h"
#include "mace/cpu/common/fp16_weights.h"
#include "mace/cpu/conv/conv_cost.h"
#include "mace/cpu/conv/conv_kernel.h"
#include "mace/cpu/conv/conv_plan.h"

namespace mace::cpu {
namespace {

Result<std::unique_ptr<ConvGemmKernel>> MakeConvF16Kernel(
    const Node& node, PackedB filter, const ConvGemm::Spec& spec,
    CpuContext& context) {
  auto kernel = std::make_unique<ConvGemmKernel>(
      std::move(filter), ConvGemm(spec, context), context);
  kernel->bias = ConvGemmKernel::kNone;
  if (node.has_input(2)) {
    MACE_ASSIGN_OR_RETURN(kernel->bias_fp16,
                          RoundedToFp16(node.inputs[2], spec.n));
  }
  kernel->num_macs =
      SaturatedProduct({spec.patches.rows(), spec.patches.depth(), spec.n});
  kernel->cost = kernel->num_macs / 2;
  return kernel;
}

Result<std::unique_ptr<ConvGemmKernel>> MakeConv(
    const Node& node, const ConvNode& conv,
    const ActivationFunction& sum_activation, CpuContext& context) {
  const ConvShape& s = conv.shape;
  if (!HasFp16Weights(node) || s.group != 1) {
    return Unsupported(Label(node),
                       ": of f16 the CPU takes constant filters stored as such,"
                       " without groups");
  }
  GemmPlan plan;
  plan.kernel = &BestGemm(kGemmF16Rows, context.features);
  ConvGemm::Spec spec = ConvSpec(s, conv.activation, plan);
  spec.sum_activation = sum_activation;
  MACE_ASSIGN_OR_RETURN(PackedB filter, PackFilter(node.inputs[1], s, Oihw(s),
                                                   *spec.kernel, context));
  MACE_ASSIGN_OR_RETURN(
      auto kernel, MakeConvF16Kernel(node, std::move(filter), spec, context));
  kernel->cost = static_cast<int64_t>(
      Cost(DirectWork(s, context.caches), CostsOf(context.features)) / 2);
  return kernel;
}

}  // namespace

bool ConvComputesFp16(const Node& node, const CpuContext& context) {
  if (!HasFp16Weights(node)) return false;
  const Result<ConvNode> conv = ReadConv2d(node);
  return conv.ok() && conv->shape.group == 1 &&
         NumElements(node.outputs[0].shape) > 0 &&
         PlanConv(DataType::kF32, node.inputs[1], conv->shape, context)
                 .method != Method::kWinograd;
}

Result<KernelPtr> PrepareConvF16(const Node& node, const ConvNode& conv,
                                 CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(auto kernel, MakeConv(node, conv, {}, context));
  return KernelPtr(std::move(kernel));
}

Result<KernelPtr> PrepareConvSumF16(const Node& node, const ConvNode& conv,
                                    const ActivationFunction& sum_activation,
                                    CpuContext& context) {
  if (conv.activation.kind != ActivationKind::kNoop ||
      !sum_activation.is_clamp()) {
    return Unsupported(Label(node), ": its activation comes before the sum");
  }
  MACE_ASSIGN_OR_RETURN(auto kernel,
                        MakeConv(node, conv, sum_activation, context));
  kernel->addend = node.inputs.size();
  return KernelPtr(std::move(kernel));
}

Result<KernelPtr> PrepareFullyConnectedF16(const Node& node, int64_t m,
                                           const ActivationFunction& activation,
                                           CpuContext& context) {
  const Shape& w = node.inputs[1].type.shape;  // [n, k]
  GemmB b;
  b.n = w[0];
  b.channels = b.column_stride = w[1];
  b.channel_stride = 1;
  ConvGemm::Spec spec;
  spec.kernel = &BestGemm(kGemmF16Rows, context.features);
  MACE_ASSIGN_OR_RETURN(
      PackedB filter,
      PackedB::Create(node.inputs[1], "columns", *spec.kernel, {b}, context));
  spec.patches.window.w.in = spec.patches.window.w.out = m;
  spec.patches.batch = 1;
  spec.patches.channels = spec.patches.pixel_stride = w[1];
  spec.n = spec.pixel_stride = w[0];
  spec.line_stride = spec.image_stride = m * w[0];
  spec.activation = activation;
  MACE_ASSIGN_OR_RETURN(
      auto kernel, MakeConvF16Kernel(node, std::move(filter), spec, context));
  return KernelPtr(std::move(kernel));
}

}  // namespace mace::cpu
