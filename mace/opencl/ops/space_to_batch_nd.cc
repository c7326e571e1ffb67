// SpaceToBatchNd on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/space_to_batch_nd.h"

#include <utility>

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/move.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeSpaceToBatchNd(const Node& node,
                                          const Target& /*target*/) {
  MACE_ASSIGN_OR_RETURN(const SpaceToBatchNdAttrs attrs,
                        ReadAttrs<SpaceToBatchNdAttrs>(node));
  const Shape& x = node.inputs[0].type.shape;
  const Shape& y = node.outputs[0].shape;
  const std::vector<int64_t> strides = DenseSteps(x), divisors = DenseSteps(y);
  MoveMap map;
  for (size_t d = 0; d < x.size(); ++d) {
    map.axes.push_back({0, x[d], strides[d], {{divisors[d], y[d], 1}}});
  }
  // The batch of y is [block1, block2, ..., batch of x].
  map.axes[0].digits[0].extent = x[0];
  int64_t divisor = divisors[0] * x[0];
  for (size_t d = attrs.block_shape.size(); d > 0; --d) {
    const int64_t block = attrs.block_shape[d - 1];
    MoveAxis& axis = map.axes[d];
    axis.first = -attrs.paddings[2 * (d - 1)];
    axis.digits[0].step = block;
    axis.digits.push_back({divisor, block, 1});
    divisor *= block;
  }
  return DescribeMove(node, std::move(map));
}

}  // namespace

GpuKernelDef SpaceToBatchNd() { return {DescribeSpaceToBatchNd}; }

}  // namespace mace::opencl
