// Activation on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/activation.h"

#include "mace/opencl/kernels/activation.h"
#include "mace/opencl/kernels/kernel_table.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeActivation(const Node& node,
                                      const Target& /*target*/) {
  MACE_ASSIGN_OR_RETURN(const ActivationOpAttrs attrs,
                        ReadAttrs<ActivationOpAttrs>(node));
  const Extents4 e = AsNhwc(node.outputs[0].shape);
  Pass pass("activation", "activation", BlockGrid(e));
  pass.In(0).Out().Int(e[3]);
  MACE_RETURN_IF_ERROR(AddActivation(node, attrs, pass));
  return KernelSpec{{pass}};
}

}  // namespace

GpuKernelDef Activation() { return {DescribeActivation}; }

}  // namespace mace::opencl
