// Activation on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/activation.h"

#include <type_traits>

#include "mace/cpu/common/activation.h"
#include "mace/cpu/common/fp16_weights.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/conv/q16.h"
#include "mace/cpu/ops/activation_q8.h"

namespace mace::cpu {
namespace {

constexpr int64_t kActivationTile = 8192;  // elements of a task

// T is float, or uint16_t for fp16.
template <typename T>
KernelPtr MakeActivation(const ActivationFunction& act, int64_t n,
                         CpuContext& context) {
  const Activator activator(act, context.features);
  KernelFacts facts;
  facts.overlaps = {{0, 0}};
  facts.variant = activator.variant();
  return MakeKernel(
      [activator, n, threads = context.threads](const RunArgs& args) {
        const T* x = args.inputs[0].as<const T>();
        T* y = args.outputs[0].as<T>();
        threads->ParallelFor(n, kActivationTile, [&](size_t begin, size_t end) {
          activator.Apply(x + begin, end - begin, y + begin);
        });
      },
      facts);
}

template <typename T>
Result<KernelPtr> PrepareActivation(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ActivationOpAttrs attrs,
                        ReadAttrs<ActivationOpAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ActivationFunction act,
                        ResolveActivation(node, attrs));
  const int64_t n = NumElements(node.outputs[0].shape);
  if (!context.reference || !std::is_same_v<T, float>) {
    return MakeActivation<T>(act, n, context);
  }
  KernelFacts facts;
  facts.overlaps = {{0, 0}};
  return MakeKernel(
      [act, n](const RunArgs& args) {
        const float* x = args.inputs[0].as<const float>();
        float* y = args.outputs[0].as<float>();
        for (int64_t i = 0; i < n; ++i) {
          y[i] = static_cast<float>(ReferenceActivation(act, x[i]));
        }
      },
      facts);
}

bool ActivationComputesFp16(const Node& node, const CpuContext&) {
  return ReadsActivationsOnly(node);
}

}  // namespace

CpuKernelDefs Activation() {
  return WithFp16(WithQ16(WithQ8({{DataType::kF32, PrepareActivation<float>}},
                                 PrepareActivationQ8),
                          PrepareActivationQ16),
                  {DataType::kF16, PrepareActivation<uint16_t>, -1,
                   ActivationComputesFp16});
}

}  // namespace mace::cpu
