// Bitwise on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/bitwise.h"

#include <algorithm>
#include <type_traits>

#include "mace/cpu/common/broadcast_loop.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"

namespace mace::cpu {
namespace {

template <typename T>
T ShiftedLeft(T x, T n) {
  if (n < 0 || n >= static_cast<T>(8 * sizeof(T))) return 0;
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(x) << n);
}

template <typename T>
T ShiftedRight(T x, T n) {
  constexpr T kMost = 8 * sizeof(T) - 1;
  return static_cast<T>(x >> (n < 0 || n > kMost ? kMost : n));
}

template <typename T>
T Apply(BitwiseType type, T a, T b) {
  switch (type) {
    case BitwiseType::kAnd:
      return a & b;
    case BitwiseType::kOr:
      return a | b;
    case BitwiseType::kXor:
      return a ^ b;
    case BitwiseType::kShiftLeft:
      return ShiftedLeft(a, b);
    case BitwiseType::kShiftRight:
      return ShiftedRight(a, b);
  }
  return a;
}

template <typename T>
Result<KernelPtr> Prepare(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const BitwiseAttrs attrs,
                        ReadAttrs<BitwiseAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const BitwiseType type, BitwiseTypeOf(node, attrs));
  BroadcastPlan plan =
      PlanBroadcast(node.outputs[0].shape,
                    {node.inputs[0].type.shape, node.inputs[1].type.shape});
  return MakeKernel([threads = context.threads, type,
                     plan = std::move(plan)](const RunArgs& args) {
    const T* a = args.inputs[0].as<const T>();
    const T* b = args.inputs[1].as<const T>();
    T* y = args.outputs[0].as<T>();
    const int64_t n = plan.extents.back();
    const int64_t tile = 16384 / std::max<int64_t>(1, n) + 1;
    threads->ParallelFor(NumRows(plan), tile, [&](size_t begin, size_t end) {
      ForEachRow<2>(plan, begin, end, [&](int64_t r, auto& at) {
        for (int64_t i = 0; i < n; ++i) {
          y[r * n + i] = Apply(type, a[at[0] + i * plan.strides[0].back()],
                               b[at[1] + i * plan.strides[1].back()]);
        }
      });
    });
  });
}

}  // namespace

CpuKernelDefs Bitwise() {
  return {{DataType::kI32, Prepare<int32_t>},
          {DataType::kI64, Prepare<int64_t>}};
}

}  // namespace mace::cpu
