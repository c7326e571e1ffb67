// Logical on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/logical.h"

#include <algorithm>

#include "mace/cpu/common/broadcast_loop.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"

namespace mace::cpu {
namespace {

// Returns the truth table: bit 2 * a + b is the result for a and b.
uint8_t TruthTable(const std::string& type) {
  if (type == "AND") return 0b1000;
  if (type == "OR") return 0b1110;
  if (type == "XOR") return 0b0110;
  return 0b0011;  // NOT a, for any b
}

Result<KernelPtr> Prepare(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const LogicalAttrs attrs,
                        ReadAttrs<LogicalAttrs>(node));
  const size_t second = node.has_input(1) ? 1 : 0;  // NOT reads a twice
  BroadcastPlan plan = PlanBroadcast(
      node.outputs[0].shape,
      {node.inputs[0].type.shape, node.inputs[second].type.shape});
  return MakeKernel([threads = context.threads, second,
                     table = TruthTable(attrs.type),
                     plan = std::move(plan)](const RunArgs& args) {
    const uint8_t* a = args.inputs[0].as<const uint8_t>();
    const uint8_t* b = args.inputs[second].as<const uint8_t>();
    uint8_t* y = args.outputs[0].as<uint8_t>();
    const int64_t n = plan.extents.back();
    const int64_t step_a = plan.strides[0].back();
    const int64_t step_b = plan.strides[1].back();
    const int64_t tile = 16384 / std::max<int64_t>(1, n) + 1;
    threads->ParallelFor(NumRows(plan), tile, [&](size_t begin, size_t end) {
      ForEachRow<2>(plan, begin, end, [&](int64_t r, auto& at) {
        for (int64_t i = 0; i < n; ++i) {
          const int left = a[at[0] + i * step_a] != 0 ? 2 : 0;
          const int right = b[at[1] + i * step_b] != 0 ? 1 : 0;
          y[r * n + i] = (table >> (left + right)) & 1;
        }
      });
    });
  });
}

}  // namespace

CpuKernelDefs Logical() { return {{DataType::kBool, Prepare}}; }

}  // namespace mace::cpu
