// PRelu on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/kernels/broadcast.h"
#include "mace/opencl/kernels/kernel_table.h"

namespace mace::opencl {
namespace {

Result<KernelPtr> Prepare(const Node& node, OpenclContext& context) {
  const Extents4 e = AsNhwc(node.outputs[0].shape);
  Pass pass("p_relu", "p_relu", BlockGrid(e));
  pass.In(0);
  MACE_RETURN_IF_ERROR(AddBroadcastImage(node, 1, context, pass));
  pass.Out();
  AddBroadcastSteps(node, 1, pass);
  pass.Int(e[1], e[3]);
  return context.MakeKernel({pass});
}

}  // namespace

GpuKernelDef PRelu() { return {Prepare}; }

}  // namespace mace::opencl
