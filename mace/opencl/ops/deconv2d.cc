// Deconv2d on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/deconv2d.h"

#include "mace/opencl/kernels/activation.h"
#include "mace/opencl/kernels/constants.h"
#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/window.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> Describe(const Node& node, const Target& target) {
  MACE_ASSIGN_OR_RETURN(const Deconv2dAttrs attrs,
                        ReadAttrs<Deconv2dAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const Window2D window, Deconv2dWindow(node, attrs));
  MACE_RETURN_IF_ERROR(CheckConstant(node, 1, "filter"));
  const Shape& w = node.inputs[1].type.shape;
  MACE_ASSIGN_OR_RETURN(
      ConstantPtr filter,
      target.ConstantImage(ImageLayout::kConvFilter, {w[0], w[1], w[2], w[3]},
                           node.inputs[1]));
  MACE_ASSIGN_OR_RETURN(ConstantPtr bias, ArgumentImage(node, 2, w[0], target));
  const int64_t out_per_group = w[0] / attrs.group;
  Pass pass("deconv2d", "deconv2d", BlockGrid(AsNhwc(node.outputs[0].shape)));
  if (attrs.group > 1 && (w[1] % 4 != 0 || out_per_group % 4 != 0)) {
    pass.Define("GROUPS_CUT_BLOCKS");
  }
  pass.In(0).Constant(filter).Constant(bias).Out();
  AddWindow(window, pass);
  pass.Int(w[0], out_per_group, w[1]);
  MACE_RETURN_IF_ERROR(AddActivation(node, attrs, pass));
  KernelSpec::Facts facts;
  facts.macs =
      NumElements(node.inputs[0].type.shape) * out_per_group * w[2] * w[3];
  return KernelSpec{{pass}, facts};
}

}  // namespace

GpuKernelDef Deconv2d() { return {Describe}; }

}  // namespace mace::opencl
