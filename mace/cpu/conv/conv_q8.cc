// The kernels of convolutions and GEMM of quantized values.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/conv/conv_q8.h"

#include <utility>

#include "mace/base/str_cat.h"
#include "mace/cpu/conv/conv_node.h"
#include "mace/cpu/depthwise/depthwise_q8.h"
#include "mace/cpu/gemm/kernel_q8.h"
#include "mace/graph/attrs.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/conv2d.h"
#include "mace/ops/depthwise_conv2d.h"
#include "mace/ops/fully_connected.h"

namespace mace::cpu {
namespace {

Result<ConvGemmQ8> MakeGemm(const Node& node, const ActivationAttrs& activation,
                            const FilterOrder& order, const Patches& patches,
                            bool one_thread, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(OutputStage stage, MakeOutputStage(node, activation));
  if (context.fc_rounds_once && node.op == "FullyConnected") {
    stage.multipliers = DoubleFactors(node);
  }
  const TensorType& x = node.inputs[0].type;
  ConvGemm::Spec spec;
  spec.kernel = &ChooseGemmQ8(node.inputs[1], context);
  MACE_ASSIGN_OR_RETURN(
      PanelsQ8 filter,
      PanelsQ8::Create(node, order, stage, *spec.kernel, context));
  spec.patches = patches;
  spec.n = order.per_group();
  spec.pixel_stride = order.outputs;
  spec.line_stride = patches.window.w.out * spec.pixel_stride;
  spec.image_stride = patches.window.h.out * spec.line_stride;
  spec.one_thread = one_thread;
  spec.quantized = {FlipFor(x, spec.kernel->reads_unsigned()).flip,
                    x.quantization->zero_point(), filter.zero_point(),
                    filter.stage()};
  spec.parts.clear();
  for (int64_t g = 0; g < order.group; ++g) {
    const int64_t channel = filter.channel(g, 0);
    spec.parts.push_back({g * patches.channels, filter.offset(g, 0), channel,
                          g * spec.n, channel});
  }
  return ConvGemmQ8{std::move(filter), ConvGemm(spec, context),
                    context.threads};
}

Result<KernelPtr> PrepareGemm(const Node& node,
                              const ActivationAttrs& activation,
                              const FilterOrder& order, const Patches& patches,
                              CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(ConvGemmQ8 made,
                        MakeGemm(node, activation, order, patches,
                                 /*one_thread=*/false, context));
  std::string name = made.gemm.variant();
  return KernelPtr(std::make_unique<KernelQ8<ConvGemmQ8>>(
      std::move(made), std::move(name),
      SaturatedProduct({patches.rows(), order.outputs, order.depth()})));
}

FilterOrder OrderOfConvQ8(const ConvShape& s) {
  return {s.out_channels,   s.in_per_group(), s.taps(), s.taps(),
          /*multiplier=*/1, s.group};
}

Patches PatchesOf(const ConvShape& s) {
  return {s.window, s.batch, s.in_per_group(), s.in_channels};
}

}  // namespace

Result<KernelPtr> PrepareConvQ8(const Node& node, const ConvShape& shape,
                                CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const Conv2dAttrs attrs, ReadAttrs<Conv2dAttrs>(node));
  return PrepareGemm(node, attrs, OrderOfConvQ8(shape), PatchesOf(shape),
                     context);
}

Result<ConvGemmQ8> MakeConvRowsQ8(const Node& node, const ConvShape& shape,
                                  CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const Conv2dAttrs attrs, ReadAttrs<Conv2dAttrs>(node));
  return MakeGemm(node, attrs, OrderOfConvQ8(shape), PatchesOf(shape),
                  /*one_thread=*/true, context);
}

Result<DepthwiseQ8> MakeDepthwiseQ8(const Node& node, const ConvShape& shape,
                                    CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const DepthwiseConv2dAttrs attrs,
                        ReadAttrs<DepthwiseConv2dAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const OutputStage stage, MakeOutputStage(node, attrs));
  return DepthwiseQ8::Create(node, shape, stage, context);
}

Result<KernelPtr> PrepareDepthwiseQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ConvNode conv, ReadDepthwiseConv2d(node));
  const ConvShape& s = conv.shape;
  if (s.out_per_group() == 1) {
    MACE_ASSIGN_OR_RETURN(DepthwiseQ8 depthwise,
                          MakeDepthwiseQ8(node, s, context));
    std::string name = depthwise.variant();
    return KernelPtr(std::make_unique<KernelQ8<DepthwiseQ8>>(
        std::move(depthwise), std::move(name),
        SaturatedProduct({s.rows(), s.out_channels, s.taps()})));
  }
  MACE_ASSIGN_OR_RETURN(const DepthwiseConv2dAttrs attrs,
                        ReadAttrs<DepthwiseConv2dAttrs>(node));
  if (node.inputs[1].type.quantization->is_per_axis()) {
    return Unsupported(Label(node), ": a quantized filter with ",
                       s.out_per_group(),
                       " outputs per channel must have one "
                       "scale; Conv2d with group ",
                       s.group, " takes one for each output");
  }
  MACE_RETURN_IF_ERROR(CheckGroupTables(node, s));
  return PrepareGemm(
      node, attrs,
      {s.out_channels, 1, s.taps(), s.taps(), s.out_per_group(), s.group},
      PatchesOf(s), context);
}

Result<KernelPtr> PrepareFullyConnectedQ8(const Node& node,
                                          CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const FullyConnectedAttrs attrs,
                        ReadAttrs<FullyConnectedAttrs>(node));
  const Shape& w = node.inputs[1].type.shape;
  Patches patches;
  patches.batch = NumElements(node.outputs[0].shape) / w[0];
  patches.channels = patches.pixel_stride = w[1];
  return PrepareGemm(node, attrs, {w[0], w[1]}, patches, context);
}

}  // namespace mace::cpu
