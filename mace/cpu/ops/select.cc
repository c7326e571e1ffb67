// Select on the CPU, by the size of an element, for any type.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "mace/cpu/common/broadcast_loop.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"

namespace mace::cpu {
namespace {

template <typename T>
Result<KernelPtr> PrepareOf(const Node& node, CpuContext& context) {
  BroadcastPlan plan =
      PlanBroadcast(node.outputs[0].shape,
                    {node.inputs[0].type.shape, node.inputs[1].type.shape,
                     node.inputs[2].type.shape});
  return MakeKernel([threads = context.threads,
                     plan = std::move(plan)](const RunArgs& args) {
    const uint8_t* cond = args.inputs[0].as<const uint8_t>();
    const T* a = args.inputs[1].as<const T>();
    const T* b = args.inputs[2].as<const T>();
    T* y = args.outputs[0].as<T>();
    const int64_t n = plan.extents.back();
    const int64_t steps[] = {plan.strides[0].back(), plan.strides[1].back(),
                             plan.strides[2].back()};
    const int64_t tile = 16384 / std::max<int64_t>(1, n) + 1;
    threads->ParallelFor(NumRows(plan), tile, [&](size_t begin, size_t end) {
      ForEachRow<3>(plan, begin, end, [&](int64_t r, auto& at) {
        for (int64_t i = 0; i < n; ++i) {
          y[r * n + i] = cond[at[0] + i * steps[0]] != 0
                             ? a[at[1] + i * steps[1]]
                             : b[at[2] + i * steps[2]];
        }
      });
    });
  });
}

Result<KernelPtr> Prepare(const Node& node, CpuContext& context) {
  switch (SizeOf(node.inputs[1].type.dtype)) {
    case 1:
      return PrepareOf<uint8_t>(node, context);
    case 2:
      return PrepareOf<uint16_t>(node, context);
    case 4:
      return PrepareOf<uint32_t>(node, context);
    default:
      return PrepareOf<uint64_t>(node, context);
  }
}

}  // namespace

CpuKernelDefs Select() { return {{DataType::kBool, Prepare}}; }

}  // namespace mace::cpu
