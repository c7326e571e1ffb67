// Tile on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/tile.h"

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/move.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeTile(const Node& node, const Target& /*target*/) {
  const Shape& x = node.inputs[0].type.shape;
  const std::vector<int64_t> in_steps = DenseSteps(x);
  Shape extents;  // for each axis: its repeats, its extent
  std::vector<int64_t> steps;
  for (size_t d = 0; d < x.size(); ++d) {
    extents.push_back(node.outputs[0].shape[d] / x[d]);
    steps.push_back(0);
    extents.push_back(x[d]);
    steps.push_back(in_steps[d]);
  }
  return DescribeMove(node, StridedMap(extents, steps, 0, NumElements(x)));
}

}  // namespace

GpuKernelDef Tile() { return {DescribeTile}; }

}  // namespace mace::opencl
