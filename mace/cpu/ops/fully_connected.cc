// FullyConnected on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/fully_connected.h"

#include "mace/cpu/common/fp16_weights.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/conv/conv_kernel.h"
#include "mace/cpu/conv/conv_q8.h"
#include "mace/cpu/conv/mat_mul_kernel.h"
#include "mace/cpu/gemm/q16.h"
#include "mace/graph/stored_weight.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareFullyConnectedF32(const Node& node,
                                           CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const FullyConnectedAttrs attrs,
                        ReadAttrs<FullyConnectedAttrs>(node));
  MatMulSpec spec;
  MACE_ASSIGN_OR_RETURN(spec.activation, ResolveActivation(node, attrs));
  spec.n = node.inputs[1].type.shape[0];
  spec.k = node.inputs[1].type.shape[1];
  spec.m = NumElements(node.outputs[0].shape) / spec.n;
  spec.transpose_b = true;
  if constexpr (kHas8BitKernels) {
    // Rows without elements are left to the float kernel.
    if (HasQuantizedRows(node.inputs[1]) && spec.m > 0 && spec.k > 0) {
      if (attrs.dynamic) {
        return PrepareMatMulDynamic(node, spec.m, spec.activation, context);
      }
      return PrepareMatMulWeightsQ8(node, spec.m, spec.activation, context);
    }
  }
  return PrepareMatMul(node, spec, context);
}

bool FullyConnectedComputesFp16(const Node& node, const CpuContext&) {
  return HasFp16Weights(node) && NumElements(node.inputs[0].type.shape) > 0 &&
         NumElements(node.outputs[0].shape) > 0;
}

Result<KernelPtr> PrepareFullyConnectedNodeF16(const Node& node,
                                               CpuContext& context) {
  if (!FullyConnectedComputesFp16(node, context)) {
    return Unsupported(Label(node),
                       ": in f16 the CPU needs constant weights stored as"
                       " such");
  }
  MACE_ASSIGN_OR_RETURN(const FullyConnectedAttrs attrs,
                        ReadAttrs<FullyConnectedAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ActivationFunction activation,
                        ResolveActivation(node, attrs));
  const int64_t m =
      NumElements(node.outputs[0].shape) / node.inputs[1].type.shape[0];
  return PrepareFullyConnectedF16(node, m, activation, context);
}

}  // namespace

CpuKernelDefs FullyConnected() {
  return WithFp16(
      WithQ16(WithQ8({{DataType::kF32, PrepareFullyConnectedF32, 1}},
                     PrepareFullyConnectedQ8),
              PrepareFullyConnectedQ16),
      {DataType::kF16, PrepareFullyConnectedNodeF16, 1,
       FullyConnectedComputesFp16});
}

}  // namespace mace::cpu
