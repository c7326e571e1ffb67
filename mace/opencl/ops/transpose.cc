// Transpose on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/transpose.h"

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/move.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeTranspose(const Node& node,
                                     const Target& /*target*/) {
  MACE_ASSIGN_OR_RETURN(const std::vector<int> dims, TransposeDims(node));
  const Shape& x = node.inputs[0].type.shape;
  const std::vector<int64_t> in_steps = DenseSteps(x);
  std::vector<int64_t> steps;
  for (int d : dims) steps.push_back(in_steps[d]);
  return DescribeMove(
      node, StridedMap(node.outputs[0].shape, steps, 0, NumElements(x)));
}

}  // namespace

GpuKernelDef Transpose() { return {DescribeTranspose}; }

}  // namespace mace::opencl
