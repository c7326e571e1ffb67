// LayerNorm on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/layer_norm.h"

#include <vector>

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/normalization.h"
#include "mace/ops/common/operands.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeLayerNorm(const Node& node, const Target& target) {
  MACE_ASSIGN_OR_RETURN(const LayerNormAttrs attrs,
                        ReadAttrs<LayerNormAttrs>(node));
  const Shape& x = node.inputs[0].type.shape;
  const int rank = static_cast<int>(x.size());
  MACE_ASSIGN_OR_RETURN(const int axis, ResolveAxis(node, attrs.axis, rank));
  std::vector<int> axes;
  for (int d = axis; d < rank; ++d) axes.push_back(d);
  MACE_ASSIGN_OR_RETURN(const Reduction reduction, ReductionOf(node, x, axes));
  return DescribeMomentNorm(node, reduction, attrs.epsilon, {}, target,
                            attrs.centered);
}

}  // namespace

GpuKernelDef LayerNorm() { return {DescribeLayerNorm}; }

}  // namespace mace::opencl
