// LocalResponseNorm on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/local_response_norm.h"

#include <algorithm>

#include "mace/opencl/kernels/kernel_table.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeLocalResponseNorm(const Node& node,
                                             const Target& /*target*/) {
  MACE_ASSIGN_OR_RETURN(const LocalResponseNormAttrs attrs,
                        ReadAttrs<LocalResponseNormAttrs>(node));
  const Extents4 e = AsNhwc(node.outputs[0].shape);
  int64_t before = attrs.depth_radius, after = attrs.depth_radius;
  if (attrs.size > 0) {
    before = (attrs.size - 1) / 2;
    after = attrs.size / 2;
  }
  Pass pass("local_response_norm", "local_response_norm", BlockGrid(e));
  pass.In(0).Out();
  pass.Int(e[3], std::min(before, e[3]), std::min(after, e[3]));
  pass.Float(attrs.bias).Float(attrs.alpha).Float(attrs.beta);
  return KernelSpec{{pass}};
}

}  // namespace

GpuKernelDef LocalResponseNorm() { return {DescribeLocalResponseNorm}; }

}  // namespace mace::opencl
