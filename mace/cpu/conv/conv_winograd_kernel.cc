// The kernel of a Winograd convolution.
// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "mace/cpu/common/kernel_inputs.h"
#include "mace/cpu/common/weight_floats.h"
#include "mace/cpu/conv/conv_kernel.h"
#include "mace/cpu/winograd/winograd.h"

namespace mace::cpu {
namespace {

struct ConvWinogradKernel final : Kernel {
  explicit ConvWinogradKernel(Winograd winograd_in)
      : winograd(std::move(winograd_in)) {}

  int64_t scratch_bytes() const override { return winograd.scratch_bytes(); }
  int64_t macs() const override { return num_macs; }
  int64_t cost_macs() const override { return cost; }
  std::string variant() const override { return winograd.variant(); }

  Status Run(const RunArgs& args) override {
    winograd.Run(args.inputs[0].as<const float>(),
                 static_cast<const float*>(filter.get()), BiasF32(args),
                 args.outputs[0].as<float>(), args.scratch.handle);
    return Status();
  }

  Winograd winograd;
  std::shared_ptr<const void> filter;  // packed
  int64_t num_macs = 0;
  int64_t cost = 0;
};

}  // namespace

int LargestWinograd() { return 6; }

Result<KernelPtr> PrepareConvWinograd(const Node& node, const ConvShape& s,
                                      const NodePlan& plan,
                                      const ActivationFunction& activation,
                                      CpuContext& context) {
  auto kernel = std::make_unique<ConvWinogradKernel>(Winograd(
      {static_cast<int>(plan.tile), s, activation, plan.gemm}, context));
  const Winograd& winograd = kernel->winograd;
  const Operand& filter = node.inputs[1];
  const auto pack = [&](void* packed) -> Status {
    MACE_ASSIGN_OR_RETURN(const WeightFloats floats,
                          WeightFloats::Create(filter));
    winograd.Pack(floats.data(), static_cast<float*>(packed));
    return Status();
  };
  MACE_ASSIGN_OR_RETURN(
      kernel->filter,
      context.packed->GetOrPack(filter.weight_id, winograd.packing(),
                                winograd.packed_bytes(), pack));
  kernel->cost = static_cast<int64_t>(plan.cost);
  kernel->num_macs = SaturatedProduct(
      {NumElements(node.outputs[0].shape), s.in_channels, s.taps()});
  return KernelPtr(std::move(kernel));
}

}  // namespace mace::cpu
