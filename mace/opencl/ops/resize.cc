// Resize on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/resize.h"

#include <vector>

#include "mace/opencl/kernels/kernel_table.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeResize(const Node& node, const Target& /*target*/) {
  MACE_ASSIGN_OR_RETURN(const ResizeAttrs attrs, ReadAttrs<ResizeAttrs>(node));
  const Extents4 in = AsNhwc(node.inputs[0].type.shape);
  const Extents4 out = AsNhwc(node.outputs[0].shape);
  Pass pass("resize", "resize", BlockGrid(out));
  pass.In(0);
  int num_taps = 1;
  for (int axis : {0, 1}) {
    const ResizeTaps taps = TapsOf(attrs, node, axis);
    const std::vector<cl_int> index(taps.index.begin(), taps.index.end());
    pass.Constant(Target::Table(index)).Constant(Target::Table(taps.weight));
    num_taps = taps.num_taps;
  }
  pass.Out().Int(num_taps, in[1], in[2], out[1], out[3]);
  return KernelSpec{{pass}};
}

}  // namespace

GpuKernelDef Resize() { return {DescribeResize}; }

}  // namespace mace::opencl
