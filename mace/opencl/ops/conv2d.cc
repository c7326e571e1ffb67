// Conv2d on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/conv2d.h"

#include "mace/graph/stored_weight.h"
#include "mace/opencl/kernels/activation.h"
#include "mace/opencl/kernels/constants.h"
#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/weights.h"
#include "mace/opencl/kernels/window.h"
#include "mace/opencl/kernels/winograd.h"

namespace mace::opencl {
namespace {

constexpr int64_t kColumns = 4;  // computed by one work item

Result<KernelSpec> Describe(const Node& node, const Target& target) {
  MACE_ASSIGN_OR_RETURN(const Conv2dAttrs attrs, ReadAttrs<Conv2dAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const Window2D window, Conv2dWindow(node, attrs));
  MACE_RETURN_IF_ERROR(CheckConstant(node, 1, "filter"));
  const Shape& w = node.inputs[1].type.shape;
  const Extents4 out = AsNhwc(node.outputs[0].shape);
  // Whether the channels of every group are whole blocks.
  const bool blocks =
      attrs.group == 1 || (w[1] % 4 == 0 && w[0] / attrs.group % 4 == 0);
  WeightUse use;
  use.weight = &node.inputs[1];
  use.extents = {w[0], w[1], w[2], w[3]};
  use.outputs = w[0];
  use.macs =
      SaturatedProduct({NumElements(node.outputs[0].shape), w[1], w[2], w[3]});
  // One code of each four is used, or each one for all columns.
  use.conversions_per_mac = blocks ? 1.0 / kColumns : 4;
  const int64_t tile = WinogradTile(attrs, window, node, target);
  if (tile > 0 && !IsStoredAsCodes(use.weight->stored)) {
    return DescribeWinograd(node, attrs, window, tile, target);
  }
  MACE_ASSIGN_OR_RETURN(const WeightImages weights,
                        DescribeWeights(use, target));
  if (tile > 0 && WinogradMicros(node, window, tile, target) <
                      PassMicros(node, weights, target)) {
    MACE_ASSIGN_OR_RETURN(KernelSpec spec,
                          DescribeWinograd(node, attrs, window, tile, target));
    spec.facts.variant += weights.scales != nullptr
                              ? InFloats(target, "Winograd's method costs less")
                              : weights.variant;
    return spec;
  }
  MACE_ASSIGN_OR_RETURN(ConstantPtr bias, ArgumentImage(node, 2, w[0], target));
  Grid grid = BlockGrid(out);
  if (blocks) grid[1] = (out[2] + kColumns - 1) / kColumns;
  const char* name = blocks ? "conv2d" : "conv2d_grouped";
  Pass pass(name, name, grid);
  pass.In(0);
  AddWeights(weights, pass);
  pass.Constant(bias).Out();
  AddWindow(window, pass);
  pass.Int(w[0], w[0] / attrs.group, w[1]);
  MACE_RETURN_IF_ERROR(AddActivation(node, attrs, pass));
  return KernelSpec{{pass}, FactsOf(weights, pass, use.macs)};
}

}  // namespace

GpuKernelDef Conv2d() { return {Describe, 1}; }

}  // namespace mace::opencl
