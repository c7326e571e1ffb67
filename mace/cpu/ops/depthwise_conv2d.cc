// DepthwiseConv2d on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "mace/cpu/conv_kernel.h"
#include "mace/cpu/conv_node.h"
#include "mace/cpu/depthwise.h"
#include "mace/cpu/function_kernel.h"
#include "mace/cpu/kernel_inputs.h"
#include "mace/cpu/kernel_table.h"

namespace mace::cpu {
namespace {

struct DepthwiseF32 final : Kernel {
  explicit DepthwiseF32(Depthwise depthwise_in)
      : depthwise(std::move(depthwise_in)) {}

  int64_t scratch_bytes() const override {
    return pack_bytes() + depthwise.scratch_bytes();
  }
  int64_t macs() const override { return num_macs; }
  std::vector<Overlap> overlaps() const override {
    return {{0, depthwise.SafeDistanceBytes()}};
  }
  std::string variant() const override { return depthwise.variant(); }

  Status Run(const RunArgs& args) override {
    const float* w = args.scratch.as<const float>();
    if (constant != nullptr) {
      w = static_cast<const float*>(constant.get());
    } else {
      depthwise.Pack(args.inputs[1].as<const float>(),
                     args.scratch.as<float>());
    }
    depthwise.Run(args.inputs[0].as<const float>(), w, BiasF32(args),
                  args.outputs[0].as<float>(),
                  args.scratch.as<char>() + pack_bytes());
    return Status();
  }

  int64_t pack_bytes() const {
    return constant != nullptr ? 0
                               : AlignUp(depthwise.packed_bytes(), kAlignment);
  }

  Depthwise depthwise;
  std::shared_ptr<const void> constant;  // packed; or null
  int64_t num_macs = 0;
};

Result<KernelPtr> PrepareDepthwise(const Node& node, const ConvShape& s,
                                   const ActivationFunction& act,
                                   CpuContext& context) {
  const Depthwise::Spec spec = {s.window, s.batch, s.in_channels, act};
  auto kernel = std::make_unique<DepthwiseF32>(Depthwise(spec, context));
  kernel->num_macs = NumElements(node.outputs[0].shape) * s.taps();
  const Operand& w = node.inputs[1];
  if (w.data != nullptr) {
    MACE_ASSIGN_OR_RETURN(kernel->constant,
                          kernel->depthwise.PackConstant(w, context));
  }
  return KernelPtr(std::move(kernel));
}

Result<KernelPtr> PrepareF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ConvNode conv, ReadDepthwiseConv2d(node));
  const ConvShape& s = conv.shape;
  const ActivationFunction& act = conv.activation;
  if (context.reference) {
    return MakeKernel(
        [s = conv.shape, act = conv.activation](const RunArgs& args) {
          ReferenceDepthwise(s, act, args.inputs[0].as<const float>(),
                             args.inputs[1].as<const float>(), BiasF32(args),
                             args.outputs[0].as<float>());
        });
  }
  if (s.out_per_group() == 1) return PrepareDepthwise(node, s, act, context);
  const FilterLayout mihw = {"mihw", 1, s.in_channels, 0};
  return PrepareConvGemm(node, s, mihw, act, context);
}

}  // namespace

CpuKernelDefs DepthwiseConv2d() { return {{DataType::kF32, PrepareF32, 1}}; }

}  // namespace mace::cpu
