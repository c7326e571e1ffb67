// Eltwise on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/eltwise.h"

#include <algorithm>
#include <type_traits>

#include "mace/cpu/common/activation.h"
#include "mace/cpu/common/broadcast_loop.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/eltwise_functions.h"
#include "mace/cpu/common/fp16_weights.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/quantized/eltwise_q8.h"
#include "mace/cpu/quantized/q16.h"
#include "mace/cpu/ukernels/binary/binary_f32_table.h"

namespace mace::cpu {
namespace {

// Elements of a task.
constexpr int64_t kTile = 16384;

// Computes y[i] = f(a[i], b[i]) for n elements. If `one_a` or `one_b`, that
// operand is a single element, which is combined with all of the other's.
template <typename T>
using RowFn = void(int64_t n, const T* a, bool one_a, const T* b, bool one_b,
                   T* y);

template <EltwiseType kType, typename T>
void Row(int64_t n, const T* a, bool one_a, const T* b, bool one_b, T* y) {
  if (one_a) {
    const T a0 = *a;
    for (int64_t i = 0; i < n; ++i) y[i] = ApplyEltwise<kType>(a0, b[i]);
  } else if (one_b) {
    const T b0 = *b;
    for (int64_t i = 0; i < n; ++i) y[i] = ApplyEltwise<kType>(a[i], b0);
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = ApplyEltwise<kType>(a[i], b[i]);
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

// Returns null for functions that have no micro-kernel.
template <typename T>
BinaryFn<T>* FindBinary(const BinarySet<T>& set, EltwiseType type) {
  switch (type) {
    case EltwiseType::kSum:
      return set.add;
    case EltwiseType::kSub:
      return set.subtract;
    case EltwiseType::kProd:
      return set.multiply;
    case EltwiseType::kDiv:
      return set.divide;
    case EltwiseType::kMin:
      return set.min;
    case EltwiseType::kMax:
      return set.max;
    case EltwiseType::kSqrDiff:
      return set.squared_difference;
    default:
      return nullptr;
  }
}

// The output may share the memory of operands that have its shape.
std::vector<Overlap> InPlace(const Node& node) {
  std::vector<Overlap> overlaps;
  for (int i : {0, 1}) {
    if (node.inputs[i].type == node.outputs[0]) overlaps.push_back({i, 0});
  }
  return overlaps;
}

// Makes a kernel that calls row(n, a, one_a, b, one_b, y) for each row.
template <typename T, typename RowFunction>
KernelPtr MakeEltwise(const Node& node, ThreadPool* threads,
                      const std::string& variant, const RowFunction& row_fn) {
  const BroadcastPlan plan =
      PlanBroadcast(node.outputs[0].shape,
                    {node.inputs[0].type.shape, node.inputs[1].type.shape});
  const bool empty = NumElements(node.outputs[0].shape) == 0;
  const auto run = [=](const RunArgs& args) {
    if (empty) return;
    const T* a = args.inputs[0].as<const T>();
    const T* b = args.inputs[1].as<const T>();
    T* y = args.outputs[0].as<T>();
    const int64_t n = plan.extents.back();
    const int64_t step_a = plan.strides[0].back();
    const int64_t step_b = plan.strides[1].back();
    const auto rows = [&](size_t r0, size_t r1, size_t i0, size_t i1) {
      ForEachRow<2>(plan, r0, r1, [&](int64_t row, auto at) {
        row_fn(i1 - i0, a + at[0] + i0 * step_a, step_a == 0,
               b + at[1] + i0 * step_b, step_b == 0, y + row * n + i0);
      });
    };
    threads->ParallelFor2D(NumRows(plan), n, std::max<int64_t>(kTile / n, 1),
                           kTile, rows);
  };
  KernelFacts facts;
  facts.overlaps = InPlace(node);
  facts.variant = variant;
  return MakeKernel(run, facts);
}

KernelPtr MakeF32(const Node& node, EltwiseType type,
                  const ActivationFunction& act, CpuContext& context) {
  RowFn<float>* plain = FindRow<float>(type);
  if (context.reference) {
    return MakeEltwise<float>(
        node, context.threads, "scalar",
        [=](int64_t n, const float* a, bool one_a, const float* b, bool one_b,
            float* y) {
          plain(n, a, one_a, b, one_b, y);
          for (int64_t i = 0; i < n; ++i) {
            y[i] = static_cast<float>(ReferenceActivation(act, y[i]));
          }
        });
  }
  const BinaryF32& micro = ChooseRow(kBinaryF32, context.features);
  BinaryF32Fn* binary = FindBinary(*micro.set, type);
  const Activator activator(act, context.features);
  const bool activate =
      binary != nullptr ? !act.is_clamp() : act.kind != ActivationKind::kNoop;
  return MakeEltwise<float>(node, context.threads,
                            binary != nullptr ? micro.name : "scalar",
                            [=](int64_t n, const float* a, bool one_a,
                                const float* b, bool one_b, float* y) {
                              if (binary != nullptr) {
                                binary({static_cast<size_t>(n), a, b, one_a,
                                        one_b, y, act.lower(), act.upper()});
                              } else {
                                plain(n, a, one_a, b, one_b, y);
                              }
                              if (activate) activator.Apply(y, n, y);
                            });
}

// Returns whether an Eltwise of activations has an fp16 micro-kernel.
bool ComputesFp16(const Node& node, const CpuContext& context) {
  if (!ReadsActivationsOnly(node) || node.inputs.size() != 2) return false;
  const Result<EltwiseAttrs> attrs = ReadAttrs<EltwiseAttrs>(node);
  if (!attrs.ok()) return false;
  const Result<EltwiseType> type = ParseEltwiseType(node, *attrs);
  const BinaryF16& micro = ChooseRow(kBinaryF16, context.features);
  return type.ok() && FindBinary(*micro.set, *type) != nullptr;
}

Result<KernelPtr> PrepareF16(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const EltwiseAttrs attrs,
                        ReadAttrs<EltwiseAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const EltwiseType type, ParseEltwiseType(node, attrs));
  MACE_ASSIGN_OR_RETURN(const ActivationFunction act,
                        ResolveActivation(node, attrs));
  const BinaryF16& micro = ChooseRow(kBinaryF16, context.features);
  BinaryF16Fn* binary = FindBinary(*micro.set, type);
  if (binary == nullptr) {
    return Unsupported(Label(node), ": no CPU kernel for f16 of type ",
                       attrs.type);
  }
  const Activator activator(act, context.features);
  return MakeEltwise<uint16_t>(node, context.threads, micro.name,
                               [=](int64_t n, const uint16_t* a, bool one_a,
                                   const uint16_t* b, bool one_b, uint16_t* y) {
                                 binary({static_cast<size_t>(n), a, b, one_a,
                                         one_b, y, act.lower(), act.upper()});
                                 if (!act.is_clamp()) activator.Apply(y, n, y);
                               });
}

template <typename T>
Result<KernelPtr> Prepare(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const EltwiseAttrs attrs,
                        ReadAttrs<EltwiseAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const EltwiseType type, ParseEltwiseType(node, attrs));
  MACE_ASSIGN_OR_RETURN(const ActivationFunction act,
                        ResolveActivation(node, attrs));
  if constexpr (std::is_same_v<T, float>) {
    return MakeF32(node, type, act, context);
  } else {
    return MakeEltwise<T>(node, context.threads, "scalar", FindRow<T>(type));
  }
}

}  // namespace

CpuKernelDefs Eltwise() {
  return WithFp16(WithQ16(WithQ8({{DataType::kF32, Prepare<float>},
                                  {DataType::kI32, Prepare<int32_t>},
                                  {DataType::kI64, Prepare<int64_t>}},
                                 PrepareEltwiseQ8),
                          PrepareEltwiseQ16),
                  {DataType::kF16, PrepareF16, -1, ComputesFp16});
}

}  // namespace mace::cpu
