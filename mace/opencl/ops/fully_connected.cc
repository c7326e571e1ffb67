// FullyConnected on the GPU: each row of x is a window that the weight covers
// whole.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/fully_connected.h"

#include "mace/opencl/kernels/activation.h"
#include "mace/opencl/kernels/constants.h"
#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/weights.h"

namespace mace::opencl {
namespace {

// Describes the weight [O, (H, W, C)] as a filter image, OIHW.
Result<WeightImages> Weights(const Node& node, const Extents4& window,
                             const Target& target) {
  const auto to_oihw = [window](const auto* from, auto* oihw) {
    const auto [outputs, channels, height, width] = window;
    const int64_t taps = height * width;
    for (int64_t o = 0; o < outputs; ++o) {
      for (int64_t t = 0; t < taps; ++t) {
        for (int64_t c = 0; c < channels; ++c) {
          oihw[(o * channels + c) * taps + t] = *from++;
        }
      }
    }
  };
  WeightUse use;
  use.weight = &node.inputs[1];
  use.extents = window;
  use.how = "windows";
  use.rearrange = Rearrangement::Of(to_oihw);
  use.outputs = window[0];
  use.macs = SaturatedProduct(
      {NumElements(node.outputs[0].shape), node.inputs[1].type.shape[1]});
  return DescribeWeights(use, target);
}

Result<KernelSpec> DescribeFullyConnected(const Node& node,
                                          const Target& target) {
  MACE_ASSIGN_OR_RETURN(const FullyConnectedAttrs attrs,
                        ReadAttrs<FullyConnectedAttrs>(node));
  MACE_RETURN_IF_ERROR(CheckConstant(node, 1, "weight"));
  const Shape& w = node.inputs[1].type.shape;  // O, K
  const Shape& y = node.outputs[0].shape;
  const Extents4 x = AsNhwc(node.inputs[0].type.shape), out = AsNhwc(y);
  // A row is either a pixel of x or an image of x.
  Extents4 window = {w[0], x[3], 1, 1};
  if (x[3] != w[1]) {
    if (x[0] != y[0]) {
      return Unsupported(Label(node), ": the GPU cannot treat ",
                         ToString(node.inputs[0].type),
                         " as one row for each image");
    }
    window = {w[0], x[3], x[1], x[2]};
  }
  MACE_ASSIGN_OR_RETURN(const WeightImages weights,
                        Weights(node, window, target));
  MACE_ASSIGN_OR_RETURN(ConstantPtr bias, ArgumentImage(node, 2, w[0], target));
  Pass pass("fully_connected", "fully_connected", BlockGrid(out));
  pass.In(0);
  AddWeights(weights, pass);
  pass.Constant(bias).Out();
  pass.Int(x[2], x[3], window[2], window[3], w[0]);
  MACE_RETURN_IF_ERROR(AddActivation(node, attrs, pass));
  pass.Team(target.TeamOf(pass.grid, Blocks(window[1]), window[2] * window[3]),
            1);
  return KernelSpec{{pass}, InfoOf(weights, pass, NumElements(y) * w[1])};
}

}  // namespace

GpuKernelDef FullyConnected() { return {DescribeFullyConnected, 1}; }

}  // namespace mace::opencl
