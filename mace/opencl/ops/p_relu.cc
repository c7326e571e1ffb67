// PRelu on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/kernels/broadcast.h"
#include "mace/opencl/kernels/kernel_table.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribePRelu(const Node& node, const Target& target) {
  const Extents4 e = AsNhwc(node.outputs[0].shape);
  Pass pass("p_relu", "p_relu", BlockGrid(e));
  pass.In(0);
  MACE_RETURN_IF_ERROR(AddBroadcastImage(node, 1, target, pass));
  pass.Out();
  AddBroadcastSteps(node, 1, pass);
  pass.Int(e[1], e[3]);
  return KernelSpec{{pass}};
}

}  // namespace

GpuKernelDef PRelu() { return {DescribePRelu}; }

}  // namespace mace::opencl
