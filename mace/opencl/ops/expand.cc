// Expand on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/expand.h"

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/move.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeExpand(const Node& node, const Target& /*target*/) {
  const Shape& x = node.inputs[0].type.shape;
  const Shape& y = node.outputs[0].shape;
  const std::vector<int64_t> in_steps = DenseSteps(x);
  std::vector<int64_t> steps(y.size(), 0);
  const size_t more = y.size() - x.size();
  for (size_t d = 0; d < x.size(); ++d) {
    if (x[d] != 1) steps[more + d] = in_steps[d];
  }
  return DescribeMove(node, StridedMap(y, steps, 0, NumElements(x)));
}

}  // namespace

GpuKernelDef Expand() { return {DescribeExpand}; }

}  // namespace mace::opencl
