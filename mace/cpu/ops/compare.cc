// Compare on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/compare.h"

#include <algorithm>

#include "mace/cpu/common/broadcast_loop.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/quantized/eltwise_q8.h"

namespace mace::cpu {
namespace {

template <CompareType kType, typename T>
bool Holds(T a, T b) {
  switch (kType) {
    case CompareType::kEqual:
      return a == b;
    case CompareType::kNotEqual:
      return a != b;
    case CompareType::kLess:
      return a < b;
    case CompareType::kLessEqual:
      return a <= b;
    case CompareType::kGreater:
      return a > b;
    case CompareType::kGreaterEqual:
      return a >= b;
  }
  return false;
}

// Computes y[i] = a[i * step_a] OP b[i * step_b] for n elements.
template <typename T>
using RowFn = void(int64_t n, const T* a, int64_t step_a, const T* b,
                   int64_t step_b, uint8_t* y);

template <CompareType kType, typename T>
void Row(int64_t n, const T* a, int64_t step_a, const T* b, int64_t step_b,
         uint8_t* y) {
  for (int64_t i = 0; i < n; ++i) {
    y[i] = Holds<kType>(a[i * step_a], b[i * step_b]) ? 1 : 0;
  }
}

template <typename T>
RowFn<T>* FindRow(CompareType type) {
  using Type = CompareType;
  static constexpr RowFn<T>* kRows[] = {
      // in the order of CompareType
      Row<Type::kEqual, T>,   Row<Type::kNotEqual, T>,
      Row<Type::kLess, T>,    Row<Type::kLessEqual, T>,
      Row<Type::kGreater, T>, Row<Type::kGreaterEqual, T>};
  return kRows[static_cast<int>(type)];
}

template <typename T>
Result<KernelPtr> Prepare(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const CompareAttrs attrs,
                        ReadAttrs<CompareAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const CompareType type, CompareTypeOf(node, attrs));
  BroadcastPlan plan =
      PlanBroadcast(node.outputs[0].shape,
                    {node.inputs[0].type.shape, node.inputs[1].type.shape});
  return MakeKernel([threads = context.threads, row = FindRow<T>(type),
                     plan = std::move(plan)](const RunArgs& args) {
    const T* a = args.inputs[0].as<const T>();
    const T* b = args.inputs[1].as<const T>();
    uint8_t* y = args.outputs[0].as<uint8_t>();
    const int64_t n = plan.extents.back();
    const int64_t tile = 16384 / std::max<int64_t>(1, n) + 1;
    threads->ParallelFor(NumRows(plan), tile, [&](size_t begin, size_t end) {
      ForEachRow<2>(plan, begin, end, [&](int64_t r, auto& at) {
        row(n, a + at[0], plan.strides[0].back(), b + at[1],
            plan.strides[1].back(), y + r * n);
      });
    });
  });
}

}  // namespace

CpuKernelDefs Compare() {
  return WithQ8({{DataType::kF32, Prepare<float>},
                 {DataType::kI32, Prepare<int32_t>},
                 {DataType::kI64, Prepare<int64_t>},
                 {DataType::kI16, Prepare<int16_t>},
                 {DataType::kI8, Prepare<int8_t>},
                 {DataType::kU8, Prepare<uint8_t>},
                 {DataType::kBool, Prepare<uint8_t>}},
                PrepareCompareQ8);
}

}  // namespace mace::cpu
