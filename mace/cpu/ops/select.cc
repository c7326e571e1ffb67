// Select on the CPU, by the size of an element, for any type.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/broadcast_kernel.h"
#include "mace/cpu/common/kernel_table.h"

namespace mace::cpu {
namespace {

template <typename T>
void SelectRow(const BroadcastRow& given) {
  const BroadcastRow row = given;  // which no store changes
  for (int64_t i = 0; i < row.n; ++i) {
    static_cast<T*>(row.y)[i] =
        row.At<uint8_t>(0, i) != 0 ? row.At<T>(1, i) : row.At<T>(2, i);
  }
}

Result<KernelPtr> PrepareSelect(const Node& node, CpuContext& context) {
  BroadcastSpec spec = {{0, 1, 2}};
  switch (SizeOf(node.inputs[1].type.dtype)) {
    case 1:
      spec.row = SelectRow<uint8_t>;
      break;
    case 2:
      spec.row = SelectRow<uint16_t>;
      break;
    case 4:
      spec.row = SelectRow<uint32_t>;
      break;
    default:
      spec.row = SelectRow<uint64_t>;
  }
  return MakeBroadcastKernel(node, spec, context.threads);
}

}  // namespace

CpuKernelDefs Select() { return {{DataType::kBool, PrepareSelect}}; }

}  // namespace mace::cpu
