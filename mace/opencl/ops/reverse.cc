// Reverse on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/reverse.h"

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/move.h"
#include "mace/ops/common/operands.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeReverse(const Node& node, const Target& /*target*/) {
  MACE_ASSIGN_OR_RETURN(const ReverseAttrs attrs,
                        ReadAttrs<ReverseAttrs>(node));
  const Shape& x = node.inputs[0].type.shape;
  MACE_ASSIGN_OR_RETURN(
      const std::vector<int> axes,
      ResolveAxes(node, attrs.axis, static_cast<int>(x.size())));
  SliceSpec spec = WholeSlice(x);
  for (int d : axes) {
    spec.starts[d] = x[d] - 1;
    spec.steps[d] = -1;
  }
  return DescribeMove(node, SliceMap(x, spec));
}

}  // namespace

GpuKernelDef Reverse() { return {DescribeReverse}; }

}  // namespace mace::opencl
