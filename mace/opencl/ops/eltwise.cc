// Eltwise on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/eltwise.h"

#include "mace/base/str_cat.h"
#include "mace/opencl/kernels/activation.h"
#include "mace/opencl/kernels/broadcast.h"
#include "mace/opencl/kernels/kernel_table.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeEltwise(const Node& node, const Target& target) {
  MACE_ASSIGN_OR_RETURN(const EltwiseAttrs attrs,
                        ReadAttrs<EltwiseAttrs>(node));
  const Extents4 out = AsNhwc(node.outputs[0].shape);
  Pass pass("eltwise", "eltwise", BlockGrid(out));
  pass.Define(StrCat("ELTWISE_", attrs.type));
  for (size_t i : {0, 1}) {
    MACE_RETURN_IF_ERROR(AddBroadcastImage(node, i, target, pass));
  }
  pass.Out();
  for (size_t i : {0, 1}) AddBroadcastSteps(node, i, pass);
  pass.Int(out[1], out[3]);
  MACE_RETURN_IF_ERROR(AddActivation(node, attrs, pass));
  return KernelSpec{{pass}};
}

}  // namespace

GpuKernelDef Eltwise() { return {DescribeEltwise}; }

}  // namespace mace::opencl
