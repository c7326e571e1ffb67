// PRelu on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "mace/cpu/broadcast_loop.h"
#include "mace/cpu/function_kernel.h"
#include "mace/cpu/kernel_table.h"

namespace mace::cpu {
namespace {

void Row(const float* x, const float* alpha, int64_t step, int64_t n,
         float* y) {
  if (step == 1) {
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] < 0 ? x[i] * alpha[i] : x[i];
    return;
  }
  const float a = *alpha;
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] < 0 ? x[i] * a : x[i];
}

Result<KernelPtr> PrepareF32(const Node& node, CpuContext& context) {
  const mace::Shape& x = node.inputs[0].type.shape;
  BroadcastPlan plan = PlanBroadcast(x, {x, node.inputs[1].type.shape});
  KernelFacts facts;
  facts.overlaps = {{0, 0}};
  return MakeKernel(
      [threads = context.threads, plan = std::move(plan)](const RunArgs& args) {
        const float* from = args.inputs[0].as<const float>();
        const float* alpha = args.inputs[1].as<const float>();
        float* to = args.outputs[0].as<float>();
        const int64_t n = plan.extents.back();
        const int64_t tile = 16384 / std::max<int64_t>(1, n) + 1;
        threads->ParallelFor(
            NumRows(plan), tile, [&](size_t begin, size_t end) {
              ForEachRow<2>(plan, begin, end, [&](int64_t row, auto& at) {
                Row(from + at[0], alpha + at[1], plan.strides[1].back(), n,
                    to + row * n);
              });
            });
      },
      facts);
}

}  // namespace

CpuKernelDefs PRelu() { return {{DataType::kF32, PrepareF32}}; }

}  // namespace mace::cpu
