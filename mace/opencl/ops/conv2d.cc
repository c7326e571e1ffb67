// Conv2d on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/conv2d.h"

#include <vector>

#include "mace/graph/stored_weight.h"
#include "mace/opencl/kernels/activation.h"
#include "mace/opencl/kernels/constants.h"
#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/weights.h"
#include "mace/opencl/kernels/window.h"
#include "mace/opencl/kernels/winograd.h"
#include "mace/ops/eltwise.h"

namespace mace::opencl {
namespace {

constexpr int64_t kConv2dColumns = 4;  // computed by one work item

constexpr char kTwoBlocks[] = "TWO_BLOCKS";

// Returns how many items compute a position of the grid, by the filter's shape.
size_t TeamOf(const Grid& grid, const Shape& w, const Target& target) {
  return target.TeamOf(grid, Blocks(w[1]), w[2] * w[3]);
}

// Begins a pass of conv2d.cl. An item computes two blocks of channels, for
// which it reads each pixel of x once, where this leaves items enough.
Pass BlocksPass(const Conv2dAttrs& attrs, const Shape& w, const Extents4& out,
                const Target& target) {
  Grid grid = BlockGrid(out);
  grid[1] = static_cast<size_t>((out[2] + kConv2dColumns - 1) / kConv2dColumns);
  const bool same_group = attrs.group == 1 || w[0] / attrs.group % 8 == 0;
  // Of an odd number of blocks, one is computed for nothing.
  const size_t min_odd = 7;
  if (same_group && (grid[0] % 2 == 0 || grid[0] >= min_odd)) {
    Grid pairs = grid;
    pairs[0] = (grid[0] + 1) / 2;
    if (target.FillsDevice(pairs, TeamOf(pairs, w, target))) {
      Pass pass("conv2d", "conv2d", pairs);
      pass.Define(kTwoBlocks);
      return pass;
    }
  }
  return Pass("conv2d", "conv2d", grid);
}

// A sum that the kernel adds to what it computes.
struct Sum {
  const Node* node = nullptr;  // an Eltwise
  EltwiseAttrs attrs;
  size_t addend = 0;  // input of the fused kernel
};

// Whether the channels of every group are whole blocks.
bool HasWholeBlocks(const Conv2dAttrs& attrs, const Shape& w) {
  return attrs.group == 1 || (w[1] % 4 == 0 && w[0] / attrs.group % 4 == 0);
}

WeightUse UseOf(const Node& node, const Conv2dAttrs& attrs) {
  const Shape& w = node.inputs[1].type.shape;
  WeightUse use;
  use.weight = &node.inputs[1];
  use.extents = {w[0], w[1], w[2], w[3]};
  use.outputs = w[0];
  use.macs =
      SaturatedProduct({NumElements(node.outputs[0].shape), w[1], w[2], w[3]});
  // One value of each four is used, or each one for all columns.
  use.reads_per_mac = HasWholeBlocks(attrs, w) ? 1.0 / kConv2dColumns : 4;
  return use;
}

// `sum` may be null.
Result<KernelSpec> DescribeDirect(const Node& node, const Conv2dAttrs& attrs,
                                  const Window2D& window,
                                  const WeightImages& weights, const Sum* sum,
                                  const Target& target) {
  const Shape& w = node.inputs[1].type.shape;
  const Extents4 out = AsNhwc(node.outputs[0].shape);
  const bool blocks = HasWholeBlocks(attrs, w);
  Pass pass = blocks ? BlocksPass(attrs, w, out, target)
                     : Pass("conv2d_grouped", "conv2d_grouped", BlockGrid(out));
  MACE_ASSIGN_OR_RETURN(ConstantPtr bias, ArgumentImage(node, 2, w[0], target));
  pass.In(0);
  AddWeights(weights, pass);
  pass.Constant(bias).Out();
  AddWindow(window, pass);
  pass.Int(w[0], w[0] / attrs.group, w[1]);
  if (sum != nullptr) {
    MACE_RETURN_IF_ERROR(AddActivation(*sum->node, sum->attrs, pass));
    pass.In(sum->addend).Define("ADDEND");
  } else {
    MACE_RETURN_IF_ERROR(AddActivation(node, attrs, pass));
  }
  const bool two_blocks = pass.defines.count(kTwoBlocks) > 0;
  if (blocks) {
    pass.Team(TeamOf(pass.grid, w, target),
              (two_blocks ? 2 : 1) * kConv2dColumns);
  }
  KernelSpec spec{{pass}, InfoOf(weights, pass, UseOf(node, attrs).macs)};
  if (two_blocks) spec.info.variant += ", two blocks";
  if (sum != nullptr) spec.info.variant += ", with the sum";
  return spec;
}

Result<KernelSpec> DescribeConv2d(const Node& node, const Target& target) {
  MACE_ASSIGN_OR_RETURN(const Conv2dAttrs attrs, ReadAttrs<Conv2dAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const Window2D window, Conv2dWindow(node, attrs));
  MACE_RETURN_IF_ERROR(CheckConstant(node, 1, "filter"));
  const WeightUse use = UseOf(node, attrs);
  const int64_t tile = WinogradTile(attrs, window, node, target);
  if (tile > 0 && !IsStoredQuantized(use.weight->stored)) {
    return DescribeWinograd(node, attrs, window, tile, target);
  }
  MACE_ASSIGN_OR_RETURN(const WeightImages weights,
                        DescribeWeights(use, target));
  if (tile > 0 && WinogradMicros(node, window, tile, target) <
                      PassMicros(node, weights, target)) {
    MACE_ASSIGN_OR_RETURN(KernelSpec spec,
                          DescribeWinograd(node, attrs, window, tile, target));
    spec.info.variant += weights.scales != nullptr
                             ? InFloats(target, "Winograd's method costs less")
                             : weights.variant;
    return spec;
  }
  return DescribeDirect(node, attrs, window, weights, nullptr, target);
}

// A convolution without an activation, and the sum of its result and a tensor
// of the same shape.
Result<KernelSpec> DescribeFused(const std::vector<FusedNode>& nodes,
                                 const Target& target) {
  const Node& node = *nodes[0].node;
  const Status no = Unsupported(Label(node), ": not fused");
  if (nodes.size() != 2 || nodes[1].node->op != "Eltwise") return no;
  Sum sum;
  sum.node = nodes[1].node;
  MACE_ASSIGN_OR_RETURN(sum.attrs, ReadAttrs<EltwiseAttrs>(*sum.node));
  MACE_ASSIGN_OR_RETURN(const Conv2dAttrs attrs, ReadAttrs<Conv2dAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const Window2D window, Conv2dWindow(node, attrs));
  MACE_ASSIGN_OR_RETURN(const ActivationKind activation,
                        ParseActivation(node, attrs));
  const Operand& addend = sum.node->inputs[1 - nodes[1].previous];
  const Shape& y = node.outputs[0].shape;
  if (sum.attrs.type != "SUM" || activation != ActivationKind::kNoop ||
      addend.data != nullptr || addend.type.shape != y ||
      sum.node->outputs[0].shape != y ||
      !HasWholeBlocks(attrs, node.inputs[1].type.shape) ||
      WinogradTile(attrs, window, node, target) > 0) {
    return no;
  }
  sum.addend = node.inputs.size();
  MACE_ASSIGN_OR_RETURN(const WeightImages weights,
                        DescribeWeights(UseOf(node, attrs), target));
  return DescribeDirect(node, attrs, window, weights, &sum, target);
}

}  // namespace

GpuKernelDef Conv2d() { return {DescribeConv2d, 1, DescribeFused}; }

}  // namespace mace::opencl
