// DepthwiseConv2d on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/depthwise_conv2d.h"

#include "mace/opencl/kernels/activation.h"
#include "mace/opencl/kernels/constants.h"
#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/weights.h"
#include "mace/opencl/kernels/window.h"

namespace mace::opencl {
namespace {

constexpr int64_t kDepthwiseConv2dColumns = 4;  // computed by one work item

// With several outputs per channel, the op is a convolution with one group for
// each channel; this is its filter, OIHW.
void UseAsGroups(const Shape& w, WeightUse& use) {  // M, I, kh, kw
  const int64_t multiplier = w[0], channels = w[1], taps = w[2] * w[3];
  const auto to_oihw = [=](const auto* from, auto* oihw) {
    for (int64_t o = 0; o < multiplier * channels; ++o) {
      const int64_t m = o % multiplier, i = o / multiplier;
      for (int64_t t = 0; t < taps; ++t) {
        oihw[o * taps + t] = from[(m * channels + i) * taps + t];
      }
    }
  };
  use.layout = ImageLayout::kConvFilter;
  use.extents = {multiplier * channels, 1, w[2], w[3]};
  use.how = "groups of one channel";
  use.rearrange = Rearrangement::Of(to_oihw);
  use.reads_per_mac = 4;  // of which one is used
}

Result<KernelSpec> DescribeDepthwiseConv2d(const Node& node,
                                           const Target& target) {
  MACE_ASSIGN_OR_RETURN(const DepthwiseConv2dAttrs attrs,
                        ReadAttrs<DepthwiseConv2dAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const Window2D window,
                        DepthwiseConv2dWindow(node, attrs));
  MACE_RETURN_IF_ERROR(CheckConstant(node, 1, "filter"));
  const Shape& w = node.inputs[1].type.shape;
  const Extents4 out = AsNhwc(node.outputs[0].shape);
  MACE_ASSIGN_OR_RETURN(ConstantPtr bias,
                        ArgumentImage(node, 2, out[3], target));
  Grid grid = BlockGrid(out);
  WeightUse use;
  use.weight = &node.inputs[1];
  use.outputs = out[3];
  use.element_of = [multiplier = w[0], channels = w[1],
                    taps = w[2] * w[3]](int64_t o) {
    return (o % multiplier * channels + o / multiplier) * taps;
  };
  use.output_axes = 2;
  use.macs = SaturatedProduct({NumElements(node.outputs[0].shape), w[2], w[3]});
  const bool single = w[0] == 1;
  if (single) {
    use.layout = ImageLayout::kDepthwiseFilter;
    use.extents = {w[0], w[1], w[2], w[3]};
    use.reads_per_mac = 1.0 / kDepthwiseConv2dColumns;
    grid[1] = (out[2] + kDepthwiseConv2dColumns - 1) / kDepthwiseConv2dColumns;
  } else {
    UseAsGroups(w, use);
  }
  MACE_ASSIGN_OR_RETURN(const WeightImages weights,
                        DescribeWeights(use, target));
  const char* name = single ? "depthwise_conv2d" : "conv2d_grouped";
  Pass pass(name, name, grid);
  pass.In(0);
  AddWeights(weights, pass);
  pass.Constant(bias).Out();
  AddWindow(window, pass);
  pass.Int(out[3]);
  if (!single) pass.Int(w[0], 1);
  MACE_RETURN_IF_ERROR(AddActivation(node, attrs, pass));
  return KernelSpec{{pass}, InfoOf(weights, pass, use.macs)};
}

}  // namespace

GpuKernelDef DepthwiseConv2d() { return {DescribeDepthwiseConv2d, 1}; }

}  // namespace mace::opencl
