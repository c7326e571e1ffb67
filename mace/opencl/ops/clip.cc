// Clip on the GPU, as an Activation that only clamps.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/clip.h"

#include "mace/opencl/kernels/constants.h"
#include "mace/opencl/kernels/kernel_table.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeClip(const Node& node, const Target& /*target*/) {
  MACE_ASSIGN_OR_RETURN(const ClipAttrs attrs, ReadAttrs<ClipAttrs>(node));
  float limits[] = {attrs.min, attrs.max};
  for (size_t i : {1, 2}) {
    if (!node.has_input(i)) continue;
    MACE_RETURN_IF_ERROR(CheckConstant(node, i, "limit"));
    limits[i - 1] = *static_cast<const float*>(node.inputs[i].data);
  }
  const Extents4 e = AsNhwc(node.outputs[0].shape);
  Pass pass("activation", "activation", BlockGrid(e));
  pass.In(0).Out().Int(e[3]).Float(limits[0]).Float(limits[1]);
  return KernelSpec{{pass}};
}

}  // namespace

GpuKernelDef Clip() { return {DescribeClip}; }

}  // namespace mace::opencl
