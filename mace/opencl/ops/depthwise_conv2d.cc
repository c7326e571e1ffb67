// DepthwiseConv2d on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/depthwise_conv2d.h"

#include "mace/base/large_array.h"
#include "mace/opencl/kernels/activation.h"
#include "mace/opencl/kernels/constants.h"
#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/window.h"

namespace mace::opencl {
namespace {

constexpr int64_t kColumns = 4;  // that one item computes

// With several outputs per channel: a convolution of as many groups as there
// are channels, its filter OIHW.
Result<SharedMem> GroupedFilter(const Operand& filter, OpenclContext& context) {
  const Shape& w = filter.type.shape;  // M, I, kh, kw
  const int64_t multiplier = w[0], channels = w[1], taps = w[2] * w[3];
  const auto* from = static_cast<const float*>(filter.data);
  MACE_ASSIGN_OR_RETURN(const LargeArray<float> oihw,
                        LargeArray<float>::Create(NumElements(w), "a filter"));
  for (int64_t o = 0; o < multiplier * channels; ++o) {
    const int64_t m = o % multiplier, i = o / multiplier;
    for (int64_t t = 0; t < taps; ++t) {
      oihw[o * taps + t] = from[(m * channels + i) * taps + t];
    }
  }
  return context.ConstantImage(ImageLayout::kConvFilter,
                               {multiplier * channels, 1, w[2], w[3]},
                               oihw.data());
}

Result<KernelPtr> Prepare(const Node& node, OpenclContext& context) {
  MACE_ASSIGN_OR_RETURN(const DepthwiseConv2dAttrs attrs,
                        ReadAttrs<DepthwiseConv2dAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const Window2D window,
                        DepthwiseConv2dWindow(node, attrs));
  MACE_RETURN_IF_ERROR(CheckConstant(node, 1, "filter"));
  const Shape& w = node.inputs[1].type.shape;
  const Extents4 out = AsNhwc(node.outputs[0].shape);
  MACE_ASSIGN_OR_RETURN(SharedMem bias,
                        ArgumentImage(node, 2, out[3], context));
  Grid grid = BlockGrid(out);
  SharedMem filter;
  const bool single = w[0] == 1;
  if (single) {
    MACE_ASSIGN_OR_RETURN(
        filter,
        context.ConstantImage(ImageLayout::kDepthwiseFilter,
                              {w[0], w[1], w[2], w[3]}, node.inputs[1]));
    grid[1] = (out[2] + kColumns - 1) / kColumns;
  } else {
    MACE_ASSIGN_OR_RETURN(filter, GroupedFilter(node.inputs[1], context));
  }
  const char* name = single ? "depthwise_conv2d" : "conv2d_grouped";
  Pass pass(name, name, grid);
  pass.In(0).Constant(filter).Constant(bias).Out();
  AddWindow(window, pass);
  pass.Int(out[3]);
  if (!single) pass.Int(w[0], 1);
  MACE_RETURN_IF_ERROR(AddActivation(node, attrs, pass));
  GpuKernelFacts facts;
  facts.macs = NumElements(node.outputs[0].shape) * w[2] * w[3];
  return context.MakeKernel({pass}, facts);
}

}  // namespace

GpuKernelDef DepthwiseConv2d() { return {Prepare}; }

}  // namespace mace::opencl
