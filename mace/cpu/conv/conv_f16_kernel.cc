// The kernels of convolutions and matrix products that compute in fp16.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/conv/conv_f16_kernel.h"

#include <utility>

#include "mace/base/str_cat.h"
#include "mace/cpu/common/fp16_weights.h"
#include "mace/cpu/conv/conv_cost.h"
#include "mace/cpu/conv/conv_gemm.h"
#include "mace/cpu/conv/conv_kernel.h"
#include "mace/cpu/conv/conv_plan.h"

namespace mace::cpu {
namespace {

struct ConvF16Kernel final : Kernel {
  ConvF16Kernel(PackedB filter_in, ConvGemm conv_in, ThreadPool* threads_in)
      : filter(std::move(filter_in)),
        conv(std::move(conv_in)),
        threads(threads_in) {}

  int64_t scratch_bytes() const override { return conv.scratch_bytes(); }
  int64_t macs() const override { return num_macs; }
  int64_t cost_macs() const override { return cost; }
  std::string variant() const override {
    return StrCat(conv.variant(), addend == kNone ? "" : " + sum");
  }

  Status Run(const RunArgs& args) override {
    conv.Run(
        threads,
        {args.inputs[0].as<const uint16_t>(), filter.Get(nullptr, nullptr),
         bias.empty() ? nullptr : bias.data(), args.outputs[0].as<uint16_t>(),
         addend == kNone ? nullptr : args.inputs[addend].as<const uint16_t>()},
        args.scratch.handle);
    return Status();
  }

  static constexpr size_t kNone = SIZE_MAX;

  PackedB filter;
  ConvGemm conv;
  ThreadPool* threads;
  LargeArray<uint16_t> bias;
  size_t addend = kNone;  // index among the inputs
  int64_t num_macs = 0;
  int64_t cost = 0;
};

Result<std::unique_ptr<ConvF16Kernel>> MakeConvF16Kernel(
    const Node& node, PackedB filter, const ConvGemm::Spec& spec,
    CpuContext& context) {
  const ConvGemm conv(spec, context);
  auto kernel =
      std::make_unique<ConvF16Kernel>(std::move(filter), conv, context.threads);
  if (node.has_input(2)) {
    MACE_ASSIGN_OR_RETURN(kernel->bias, RoundedToFp16(node.inputs[2], spec.n));
  }
  kernel->num_macs =
      SaturatedProduct({spec.patches.rows(), spec.patches.depth(), spec.n});
  kernel->cost = kernel->num_macs / 2;
  return kernel;
}

Result<std::unique_ptr<ConvF16Kernel>> MakeConv(
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
