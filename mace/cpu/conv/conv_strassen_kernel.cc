// The kernel of a convolution by Strassen's method.
// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "mace/base/str_cat.h"
#include "mace/cpu/common/weight_floats.h"
#include "mace/cpu/conv/conv_kernel.h"
#include "mace/cpu/gemm/strassen.h"

namespace mace::cpu {
namespace {

struct ConvStrassenKernel final : Kernel {
  ConvStrassenKernel(StrassenGemm gemm_in, ThreadPool* threads_in)
      : gemm(std::move(gemm_in)), threads(threads_in) {}

  int64_t scratch_bytes() const override { return gemm.scratch_bytes(); }
  int64_t macs() const override { return num_macs; }
  int64_t cost_macs() const override { return cost; }
  std::string variant() const override {
    return StrCat(gemm.variant(), addend < 0 ? "" : " + sum");
  }

  Status Run(const RunArgs& args) override {
    const auto input = [&](int i) {
      return i < 0 ? nullptr : args.inputs[i].as<const float>();
    };
    gemm.Run(threads,
             {input(0), static_cast<const float*>(filter.get()), input(bias),
              args.outputs[0].as<float>(), input(addend)},
             args.scratch.handle);
    return Status();
  }

  StrassenGemm gemm;
  ThreadPool* threads;
  std::shared_ptr<const void> filter;  // packed
  int bias = -1, addend = -1;          // indices among the inputs; -1: absent
  int64_t num_macs = 0;
  int64_t cost = 0;
};

}  // namespace

Result<std::shared_ptr<const void>> PackStrassen(const Operand& filter,
                                                 const ConvShape& shape,
                                                 const GemmUkernel& micro,
                                                 CpuContext& context) {
  const GemmB b = FilterMatrices(shape, Oihw(shape))[0];
  const auto pack = [&](void* packed) -> Status {
    MACE_ASSIGN_OR_RETURN(const WeightFloats floats,
                          WeightFloats::Create(filter));
    StrassenGemm::Pack(micro, b, floats.data(), static_cast<float*>(packed),
                       context.threads);
    return Status();
  };
  const int64_t floats = StrassenGemm::PackedFloats(micro, b.n, b.k());
  return context.packed->GetOrPack(filter.weight_id,
                                   StrCat("strassen for ", micro.name),
                                   floats * sizeof(float), pack);
}

Result<KernelPtr> PrepareConvStrassen(const Node& node, const ConvNode& conv,
                                      const NodePlan& plan, bool addend,
                                      const ActivationFunction& sum_activation,
                                      CpuContext& context) {
  const Operand& filter = node.inputs[1];
  const ConvShape& s = conv.shape;
  ConvGemm::Spec spec = ConvSpec(s, conv.activation, plan.gemm);
  spec.sum_activation = sum_activation;
  auto kernel = std::make_unique<ConvStrassenKernel>(
      StrassenGemm(spec, context), context.threads);
  MACE_ASSIGN_OR_RETURN(kernel->filter,
                        PackStrassen(filter, s, *plan.gemm.kernel, context));
  if (node.has_input(2)) kernel->bias = 2;
  if (addend) kernel->addend = static_cast<int>(node.inputs.size());
  kernel->cost = static_cast<int64_t>(plan.cost);
  kernel->num_macs = SaturatedProduct(
      {NumElements(node.outputs[0].shape), s.in_channels, s.taps()});
  return KernelPtr(std::move(kernel));
}

}  // namespace mace::cpu
