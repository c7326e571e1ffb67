// FullyConnected on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/fully_connected.h"

#include "mace/cpu/function_kernel.h"
#include "mace/cpu/kernel_table.h"
#include "mace/cpu/reference/mat_mul.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareF32(const Node& node, CpuContext&) {
  MACE_ASSIGN_OR_RETURN(const FullyConnectedAttrs attrs,
                        ReadAttrs<FullyConnectedAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ActivationFunction act,
                        ResolveActivation(node, attrs));
  const int64_t n = node.inputs[1].type.shape[0];
  const int64_t k = node.inputs[1].type.shape[1];
  const int64_t m = NumElements(node.outputs[0].shape) / n;
  KernelFacts facts;
  facts.macs = m * n * k;
  return MakeKernel(
      [=](const RunArgs& args) {
        ReferenceMatMul(
            m, n, k, {args.inputs[0].as<const float>(), k, 1},
            {args.inputs[1].as<const float>(), 1, k},
            args.inputs.size() > 2 ? args.inputs[2].as<const float>() : nullptr,
            act, args.outputs[0].as<float>());
      },
      facts);
}

}  // namespace

CpuKernelDefs FullyConnected() { return {{DataType::kF32, PrepareF32}}; }

}  // namespace mace::cpu
