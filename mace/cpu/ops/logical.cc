// Logical on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/logical.h"

#include "mace/cpu/common/broadcast_kernel.h"
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

void LogicalRow(const BroadcastRow& given) {
  const BroadcastRow row = given;  // which no store changes
  auto* const y = static_cast<uint8_t*>(row.y);
  for (int64_t i = 0; i < row.n; ++i) {
    const int left = row.At<uint8_t>(0, i) != 0 ? 2 : 0;
    const int right = row.At<uint8_t>(1, i) != 0 ? 1 : 0;
    y[i] = (row.mode >> (left + right)) & 1;
  }
}

Result<KernelPtr> PrepareLogical(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const LogicalAttrs attrs,
                        ReadAttrs<LogicalAttrs>(node));
  const size_t second = node.has_input(1) ? 1 : 0;  // NOT reads a twice
  return MakeBroadcastKernel(
      node, {{0, second}, LogicalRow, TruthTable(attrs.type)}, context.threads);
}

}  // namespace

CpuKernelDefs Logical() { return {{DataType::kBool, PrepareLogical}}; }

}  // namespace mace::cpu
