// SpaceToDepth on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/space_to_depth.h"

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/move.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeSpaceToDepth(const Node& node,
                                        const Target& /*target*/) {
  MACE_ASSIGN_OR_RETURN(const SpaceToDepthAttrs attrs,
                        ReadAttrs<SpaceToDepthAttrs>(node));
  const Shape& x = node.inputs[0].type.shape;
  const Shape& y = node.outputs[0].shape;
  const int64_t b = attrs.block_size, c = x[3], row = x[2] * c;
  return DescribeMove(node, StridedMap({y[0], y[1], y[2], b, b, c},
                                       {x[1] * row, b * row, b * c, row, c, 1},
                                       0, NumElements(x)));
}

}  // namespace

GpuKernelDef SpaceToDepth() { return {DescribeSpaceToDepth}; }

}  // namespace mace::opencl
