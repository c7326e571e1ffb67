// Eltwise on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/eltwise.h"

#include <algorithm>

#include "mace/cpu/activation.h"
#include "mace/cpu/broadcast_loop.h"
#include "mace/cpu/eltwise_functions.h"
#include "mace/cpu/function_kernel.h"
#include "mace/cpu/kernel_table.h"

namespace mace::cpu {
namespace {

// y[i] = f(a[i * step_a], b[i * step_b]); the steps are 0 or 1.
template <typename T>
using RowFn = void(int64_t n, const T* a, int64_t step_a, const T* b,
                   int64_t step_b, T* y);

template <EltwiseType kType, typename T>
void Row(int64_t n, const T* a, int64_t step_a, const T* b, int64_t step_b,
         T* y) {
  if (step_a == 1 && step_b == 1) {
    for (int64_t i = 0; i < n; ++i) y[i] = ApplyEltwise<kType>(a[i], b[i]);
  } else if (step_a == 1) {
    const T b0 = *b;
    for (int64_t i = 0; i < n; ++i) y[i] = ApplyEltwise<kType>(a[i], b0);
  } else {
    const T a0 = *a;
    for (int64_t i = 0; i < n; ++i)
      y[i] = ApplyEltwise<kType>(a0, b[i * step_b]);
  }
}

template <typename T>
RowFn<T>* FindRow(EltwiseType type) {
  using Type = EltwiseType;
  static constexpr RowFn<T>* kRows[] = {
      // in the order of EltwiseType
      Row<Type::kSum, T>, Row<Type::kSub, T>,     Row<Type::kProd, T>,
      Row<Type::kDiv, T>, Row<Type::kMin, T>,     Row<Type::kMax, T>,
      Row<Type::kPow, T>, Row<Type::kSqrDiff, T>, Row<Type::kFloorDiv, T>,
      Row<Type::kMod, T>, Row<Type::kFmod, T>};
  return kRows[static_cast<int>(type)];
}

// Operands of the output's own shape may share its memory.
std::vector<Overlap> InPlace(const Node& node) {
  std::vector<Overlap> overlaps;
  for (int i : {0, 1}) {
    if (node.inputs[i].type == node.outputs[0]) overlaps.push_back({i, 0});
  }
  return overlaps;
}

template <typename T>
Result<KernelPtr> Prepare(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const EltwiseAttrs attrs,
                        ReadAttrs<EltwiseAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const EltwiseType type, ParseEltwiseType(node, attrs));
  MACE_ASSIGN_OR_RETURN(const ActivationFunction act,
                        ResolveActivation(node, attrs));
  RowFn<T>* row_fn = FindRow<T>(type);
  const BroadcastPlan plan =
      PlanBroadcast(node.outputs[0].shape,
                    {node.inputs[0].type.shape, node.inputs[1].type.shape});
  const bool empty = NumElements(node.outputs[0].shape) == 0;
  KernelFacts facts;
  facts.overlaps = InPlace(node);
  ThreadPool* threads = context.threads;
  return MakeKernel(
      [=](const RunArgs& args) {
        if (empty) return;
        const T* a = args.inputs[0].as<const T>();
        const T* b = args.inputs[1].as<const T>();
        T* y = args.outputs[0].as<T>();
        const int64_t n = plan.extents.back();
        const size_t tile = std::max<int64_t>(16384 / n, 1);
        threads->ParallelFor(
            NumRows(plan), tile, [&](size_t begin, size_t end) {
              ForEachRow<2>(plan, begin, end, [&](int64_t row, auto at) {
                row_fn(n, a + at[0], plan.strides[0].back(), b + at[1],
                       plan.strides[1].back(), y + row * n);
                if constexpr (std::is_same_v<T, float>) {
                  if (act.kind == ActivationKind::kNoop) return;
                  for (int64_t i = row * n; i < (row + 1) * n; ++i) {
                    y[i] = static_cast<T>(ReferenceActivation(act, y[i]));
                  }
                }
              });
            });
      },
      facts);
}

}  // namespace

CpuKernelDefs Eltwise() {
  return {{DataType::kF32, Prepare<float>},
          {DataType::kI32, Prepare<int32_t>},
          {DataType::kI64, Prepare<int64_t>}};
}

}  // namespace mace::cpu
