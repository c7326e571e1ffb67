// FullyConnected on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/fully_connected.h"

#include "mace/cpu/kernel_table.h"
#include "mace/cpu/mat_mul_kernel.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const FullyConnectedAttrs attrs,
                        ReadAttrs<FullyConnectedAttrs>(node));
  MatMulSpec spec;
  MACE_ASSIGN_OR_RETURN(spec.activation, ResolveActivation(node, attrs));
  spec.n = node.inputs[1].type.shape[0];
  spec.k = node.inputs[1].type.shape[1];
  spec.m = NumElements(node.outputs[0].shape) / spec.n;
  spec.transpose_b = true;
  return PrepareMatMul(node, spec, context);
}

}  // namespace

CpuKernelDefs FullyConnected() { return {{DataType::kF32, PrepareF32, 1}}; }

}  // namespace mace::cpu
