// The kernel of a convolution by matrix products.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/conv/conv_kernel.h"

#include <utility>

#include "mace/base/str_cat.h"

namespace mace::cpu {
std::vector<Overlap> ConvGemmKernel::overlaps() const {
  const int64_t distance = gemm.SafeDistanceBytes();
  if (distance < 0) return {};
  return {{0, distance}};
}

std::string ConvGemmKernel::variant() const {
  return StrCat(gemm.variant(), addend == kNone ? "" : " + sum");
}

Status ConvGemmKernel::Run(const RunArgs& args) {
  const auto input = [&args](size_t i) -> const void* {
    return i < args.inputs.size() ? args.inputs[i].handle : nullptr;
  };
  char* scratch = args.scratch.as<char>();
  gemm.Run(threads,
           {input(0), filter.Get(input(1), scratch),
            bias_fp16.empty() ? input(bias) : bias_fp16.data(),
            args.outputs[0].handle, input(addend)},
           scratch + filter.scratch_bytes());
  return Status();
}

std::vector<GemmB> FilterMatrices(const ConvShape& s,
                                  const FilterLayout& layout) {
  std::vector<GemmB> matrices(s.group);
  for (int64_t g = 0; g < s.group; ++g) {
    GemmB& b = matrices[g];
    b.n = s.out_per_group();
    b.offset = g * layout.group_stride * s.taps();
    b.column_stride = layout.out_stride * s.taps();
    b.channels = s.in_per_group();
    b.channel_stride = layout.in_stride * s.taps();
    b.taps.clear();
    for (int64_t t = 0; t < s.taps(); ++t) b.taps.push_back(t);
  }
  return matrices;
}

ConvGemm::Spec ConvSpec(const ConvShape& s,
                        const ActivationFunction& activation,
                        const GemmPlan& plan) {
  ConvGemm::Spec spec;
  spec.kernel = plan.kernel;
  spec.plan = plan;
  spec.patches = {s.window, s.batch, s.in_per_group(), s.in_channels};
  spec.n = s.out_per_group();
  spec.pixel_stride = s.out_channels;
  spec.line_stride = s.window.w.out * spec.pixel_stride;
  spec.image_stride = s.window.h.out * spec.line_stride;
  spec.activation = activation;
  return spec;
}

Result<PackedB> PackFilter(const Operand& filter, const ConvShape& s,
                           const FilterLayout& layout, const GemmUkernel& micro,
                           CpuContext& context) {
  const std::string how = StrCat(layout.name, " of ", s.group, " groups");
  return PackedB::Create(filter, how, micro, FilterMatrices(s, layout),
                         context);
}

Result<PackedConvGemm> PackConvGemm(const Operand& filter, const ConvShape& s,
                                    const FilterLayout& layout,
                                    const ActivationFunction& activation,
                                    const GemmPlan& plan, CpuContext& context) {
  PackedConvGemm product;
  MACE_ASSIGN_OR_RETURN(product.filter,
                        PackFilter(filter, s, layout, *plan.kernel, context));
  ConvGemm::Spec& spec = product.spec;
  spec = ConvSpec(s, activation, plan);
  spec.parts.clear();
  for (int64_t g = 0; g < s.group; ++g) {
    const int64_t o = g * spec.n;
    spec.parts.push_back(
        {g * s.in_per_group(), product.filter.offset(g), o, o});
  }
  return product;
}

namespace {

Result<std::unique_ptr<ConvGemmKernel>> MakeConvKernel(
    const Node& node, const ConvShape& s, const FilterLayout& layout,
    const ActivationFunction& activation,
    const ActivationFunction& sum_activation, const NodePlan& plan,
    CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(
      PackedConvGemm product,
      PackConvGemm(node.inputs[1], s, layout, activation, plan.gemm, context));
  product.spec.sum_activation = sum_activation;
  auto kernel = std::make_unique<ConvGemmKernel>(
      std::move(product.filter), ConvGemm(product.spec, context), context);
  kernel->cost = static_cast<int64_t>(plan.cost);
  kernel->num_macs = SaturatedProduct(
      {NumElements(node.outputs[0].shape), s.in_per_group(), s.taps()});
  return kernel;
}

}  // namespace

Result<KernelPtr> PrepareConvGemm(const Node& node, const ConvShape& s,
                                  const FilterLayout& layout,
                                  const ActivationFunction& activation,
                                  const NodePlan& plan, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(auto kernel, MakeConvKernel(node, s, layout, activation,
                                                    {}, plan, context));
  return KernelPtr(std::move(kernel));
}

Result<KernelPtr> PrepareConvSum(const Node& node, const ConvNode& conv,
                                 const NodePlan& plan,
                                 const ActivationFunction& sum_activation,
                                 CpuContext& context) {
  if (plan.method == Method::kStrassen) {
    return PrepareConvStrassen(node, conv, plan, /*addend=*/true,
                               sum_activation, context);
  }
  MACE_ASSIGN_OR_RETURN(
      auto kernel,
      MakeConvKernel(node, conv.shape, Oihw(conv.shape), conv.activation,
                     sum_activation, plan, context));
  if (!node.has_input(2)) kernel->bias = ConvGemmKernel::kNone;
  kernel->addend = node.inputs.size();
  return KernelPtr(std::move(kernel));
}

}  // namespace mace::cpu
