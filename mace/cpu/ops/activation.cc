// Activation on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/activation.h"

#include "mace/cpu/activation.h"
#include "mace/cpu/function_kernel.h"
#include "mace/cpu/kernel_table.h"

namespace mace::cpu {
namespace {

constexpr int64_t kTile = 8192;  // floats, so that a task outweighs its start

Result<KernelPtr> PrepareF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ActivationOpAttrs attrs,
                        ReadAttrs<ActivationOpAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ActivationFunction act,
                        ResolveActivation(node, attrs));
  const int64_t n = NumElements(node.outputs[0].shape);
  KernelFacts facts;
  facts.overlaps = {{0, 0}};
  if (context.reference) {
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
  const Activator activator(act, context.features);
  facts.variant = activator.variant();
  return MakeKernel(
      [activator, n, threads = context.threads](const RunArgs& args) {
        const float* x = args.inputs[0].as<const float>();
        float* y = args.outputs[0].as<float>();
        threads->ParallelFor(n, kTile, [&](size_t begin, size_t end) {
          activator.Apply(x + begin, end - begin, y + begin);
        });
      },
      facts);
}

}  // namespace

CpuKernelDefs Activation() { return {{DataType::kF32, PrepareF32}}; }

}  // namespace mace::cpu
