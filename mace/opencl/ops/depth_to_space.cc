// DepthToSpace on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/depth_to_space.h"

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/move.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeDepthToSpace(const Node& node,
                                        const Target& /*target*/) {
  MACE_ASSIGN_OR_RETURN(const DepthToSpaceAttrs attrs,
                        ReadAttrs<DepthToSpaceAttrs>(node));
  const Shape& x = node.inputs[0].type.shape;
  const int64_t b = attrs.block_size, c = node.outputs[0].shape[3];
  // The channels of a pixel of x: DCR has [b, b, c], CRD has [c, b, b].
  const bool dcr = attrs.mode == "DCR";
  return DescribeMove(
      node, StridedMap({x[0], x[1], b, x[2], b, c},
                       {x[1] * x[2] * x[3], x[2] * x[3], dcr ? b * c : b, x[3],
                        dcr ? c : 1, dcr ? 1 : b * b},
                       0, NumElements(x)));
}

}  // namespace

GpuKernelDef DepthToSpace() { return {DescribeDepthToSpace}; }

}  // namespace mace::opencl
