// DepthwiseConv2d on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include <type_traits>
#include <utility>

#include "mace/cpu/common/fp16_weights.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_inputs.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/conv/conv_kernel.h"
#include "mace/cpu/conv/conv_node.h"
#include "mace/cpu/conv/conv_plan.h"
#include "mace/cpu/conv/conv_q8.h"
#include "mace/cpu/depthwise/depthwise.h"
#include "mace/cpu/gemm/q16.h"

namespace mace::cpu {
namespace {

// T is float, or uint16_t for fp16.
template <typename T>
struct DepthwiseKernel final : Kernel {
  explicit DepthwiseKernel(DepthwiseOf<T> depthwise_in)
      : depthwise(std::move(depthwise_in)) {}

  int64_t scratch_bytes() const override {
    return pack_bytes() + depthwise.scratch_bytes();
  }
  int64_t macs() const override { return num_macs; }
  std::vector<Overlap> overlaps() const override {
    const int64_t distance = depthwise.SafeDistanceBytes();
    if (distance < 0) return {};
    return {{0, distance}};
  }
  std::string variant() const override { return depthwise.variant(); }

  Status Run(const RunArgs& args) override {
    const T* w = args.scratch.as<const T>();
    if (constant != nullptr) {
      w = static_cast<const T*>(constant.get());
    } else {
      depthwise.Pack(args.inputs[1].as<const float>(), args.scratch.as<T>());
    }
    depthwise.Run(args.inputs[0].as<const T>(), w, Bias(args),
                  args.outputs[0].as<T>(),
                  args.scratch.as<char>() + pack_bytes());
    return Status();
  }
  const T* Bias(const RunArgs& args) const {
    if constexpr (std::is_same_v<T, float>) {
      return BiasF32(args);
    } else {
      return bias.empty() ? nullptr : bias.data();
    }
  }

  int64_t pack_bytes() const {
    return constant != nullptr ? 0
                               : AlignUp(depthwise.packed_bytes(), kAlignment);
  }

  DepthwiseOf<T> depthwise;
  std::shared_ptr<const void> constant;  // the packed filter, or null
  LargeArray<uint16_t> bias;             // in fp16, or empty
  int64_t num_macs = 0;
};

template <typename T>
Result<KernelPtr> PrepareDepthwise(const Node& node, const ConvShape& s,
                                   const ActivationFunction& act,
                                   CpuContext& context) {
  typename DepthwiseOf<T>::Spec spec = {s.window, s.batch, s.in_channels, act};
  spec.tile = PlanDepthwiseTile(context);
  auto kernel =
      std::make_unique<DepthwiseKernel<T>>(DepthwiseOf<T>(spec, context));
  if (sizeof(T) == sizeof(uint16_t) && node.has_input(2)) {
    MACE_ASSIGN_OR_RETURN(kernel->bias,
                          RoundedToFp16(node.inputs[2], s.out_channels));
  }
  kernel->num_macs =
      SaturatedProduct({NumElements(node.outputs[0].shape), s.taps()});
  const Operand& w = node.inputs[1];
  if (w.data != nullptr) {
    MACE_ASSIGN_OR_RETURN(kernel->constant,
                          kernel->depthwise.PackConstant(w, context));
  }
  return KernelPtr(std::move(kernel));
}

Result<KernelPtr> PrepareDepthwiseConv2dF32(const Node& node,
                                            CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ConvNode conv, ReadDepthwiseConv2d(node));
  const ConvShape& s = conv.shape;
  const ActivationFunction& act = conv.activation;
  if (context.reference) {
    return MakeKernel(
        [s = conv.shape, act = conv.activation](const RunArgs& args) {
          ReferenceConv(ConvKind::kDepthwise, s, act,
                        args.inputs[0].as<const float>(),
                        args.inputs[1].as<const float>(), BiasF32(args),
                        args.outputs[0].as<float>());
        });
  }
  if (s.out_per_group() == 1)
    return PrepareDepthwise<float>(node, s, act, context);
  MACE_RETURN_IF_ERROR(CheckGroupTables(node, s));
  const FilterLayout mihw = {"mihw", 1, s.in_channels, 0};
  return PrepareConvGemm(node, s, mihw, act,
                         PlanConvGemm(node.inputs[1], s, context), context);
}

// Returns whether a convolution whose activations are f32 could also run with
// f16 activations.
bool DepthwiseConv2dComputesFp16(const Node& node, const CpuContext&) {
  if (!HasFp16Weights(node)) return false;
  const Result<ConvNode> conv = ReadDepthwiseConv2d(node);
  return conv.ok() && conv->shape.out_per_group() == 1;
}

Result<KernelPtr> PrepareDepthwiseConv2dF16(const Node& node,
                                            CpuContext& context) {
  if (!DepthwiseConv2dComputesFp16(node, context)) {
    return Unsupported(Label(node),
                       ": in f16 the CPU needs a constant filter stored as"
                       " f16, with one output per channel");
  }
  MACE_ASSIGN_OR_RETURN(const ConvNode conv, ReadDepthwiseConv2d(node));
  return PrepareDepthwise<uint16_t>(node, conv.shape, conv.activation, context);
}

}  // namespace

CpuKernelDefs DepthwiseConv2d() {
  return WithFp16(
      WithQ16(WithQ8({{DataType::kF32, PrepareDepthwiseConv2dF32, 1}},
                     PrepareDepthwiseQ8),
              PrepareDepthwiseQ16),
      {DataType::kF16, PrepareDepthwiseConv2dF16, 1,
       DepthwiseConv2dComputesFp16});
}

}  // namespace mace::cpu
