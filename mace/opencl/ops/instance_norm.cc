// InstanceNorm on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/instance_norm.h"

#include <vector>

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/normalization.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeInstanceNorm(const Node& node,
                                        const Target& target) {
  MACE_ASSIGN_OR_RETURN(const InstanceNormAttrs attrs,
                        ReadAttrs<InstanceNormAttrs>(node));
  const Shape& x = node.inputs[0].type.shape;
  std::vector<int> axes;  // all except batch and channels
  for (int d = 1; d + 1 < static_cast<int>(x.size()); ++d) axes.push_back(d);
  MACE_ASSIGN_OR_RETURN(const Reduction reduction, ReductionOf(node, x, axes));
  return DescribeMomentNorm(node, reduction, attrs.epsilon, attrs, target);
}

}  // namespace

GpuKernelDef InstanceNorm() { return {DescribeInstanceNorm}; }

}  // namespace mace::opencl
