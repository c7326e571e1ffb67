// Deconv2d on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/deconv2d.h"

#include <algorithm>

#include "mace/opencl/kernels/activation.h"
#include "mace/opencl/kernels/constants.h"
#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/weights.h"
#include "mace/opencl/kernels/window.h"

namespace mace::opencl {
namespace {

// The kernel adds it to positions of the output.
constexpr int64_t kMaxPadding = int64_t{1} << 30;

Result<KernelSpec> DescribeDeconv2d(const Node& node, const Target& target) {
  MACE_ASSIGN_OR_RETURN(const Deconv2dAttrs attrs,
                        ReadAttrs<Deconv2dAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const Window2D window, Deconv2dWindow(node, attrs));
  if (std::max(window.h.pad_before, window.w.pad_before) > kMaxPadding) {
    return Unsupported(Label(node), ": its padding is too large for the GPU");
  }
  MACE_RETURN_IF_ERROR(CheckConstant(node, 1, "filter"));
  const Shape& w = node.inputs[1].type.shape;
  const int64_t out_per_group = w[0] / attrs.group;
  WeightUse use;
  use.weight = &node.inputs[1];
  use.extents = {w[0], w[1], w[2], w[3]};
  use.outputs = w[0];
  use.macs = SaturatedProduct(
      {NumElements(node.inputs[0].type.shape), out_per_group, w[2], w[3]});
  MACE_ASSIGN_OR_RETURN(const WeightImages weights,
                        DescribeWeights(use, target));
  MACE_ASSIGN_OR_RETURN(ConstantPtr bias, ArgumentImage(node, 2, w[0], target));
  Pass pass("deconv2d", "deconv2d", BlockGrid(AsNhwc(node.outputs[0].shape)));
  if (attrs.group > 1 && (w[1] % 4 != 0 || out_per_group % 4 != 0)) {
    pass.Define("GROUPS_CUT_BLOCKS");
  }
  pass.In(0);
  AddWeights(weights, pass);
  pass.Constant(bias).Out();
  AddWindow(window, pass);
  pass.Int(w[0], out_per_group, w[1]);
  MACE_RETURN_IF_ERROR(AddActivation(node, attrs, pass));
  return KernelSpec{{pass}, InfoOf(weights, pass, use.macs)};
}

}  // namespace

GpuKernelDef Deconv2d() { return {DescribeDeconv2d, 1}; }

}  // namespace mace::opencl
