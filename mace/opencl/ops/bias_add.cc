// BiasAdd on the GPU, as the sum of Eltwise.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/bias_add.h"

#include "mace/opencl/kernels/activation.h"
#include "mace/opencl/kernels/broadcast.h"
#include "mace/opencl/kernels/kernel_table.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeBiasAdd(const Node& node, const Target& target) {
  MACE_ASSIGN_OR_RETURN(const BiasAddAttrs attrs,
                        ReadAttrs<BiasAddAttrs>(node));
  const Extents4 e = AsNhwc(node.outputs[0].shape);
  Pass pass("eltwise", "eltwise", BlockGrid(e));
  pass.Define("ELTWISE_SUM").In(0);
  MACE_RETURN_IF_ERROR(AddBroadcastImage(node, 1, target, pass));
  pass.Out();
  for (size_t i : {0, 1}) AddBroadcastSteps(node, i, pass);
  pass.Int(e[1], e[3]);
  MACE_RETURN_IF_ERROR(AddActivation(node, attrs, pass));
  return KernelSpec{{pass}};
}

}  // namespace

GpuKernelDef BiasAdd() { return {DescribeBiasAdd}; }

}  // namespace mace::opencl
