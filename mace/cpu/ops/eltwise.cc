// Eltwise on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/eltwise.h"

#include <algorithm>

#include "mace/cpu/common/activation.h"
#include "mace/cpu/common/broadcast_loop.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/eltwise_functions.h"
#include "mace/cpu/common/fp16_weights.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/gemm/q16.h"
#include "mace/cpu/ops/eltwise_q8.h"
#include "mace/cpu/ukernels/binary/binary_f32_table.h"

namespace mace::cpu {
namespace {

// Elements of a task.
constexpr int64_t kEltwiseTile = 16384;

constexpr int64_t kBlock = 64;  // copies of an element, at once

// n elements of each operand, to be combined. `one_a`, `one_b`: the operand is
// a single element, which is combined with all of the other's.
struct EltwiseRow {
  int64_t n;
  const void* a;
  bool one_a;
  const void* b;
  bool one_b;
  void* y;
};

// Computes y[i] = f(a[i], b[i]) for n elements.
template <typename T>
using EltwiseRowFn = void(int64_t n, const T* a, const T* b, T* y);

template <EltwiseType kType, typename T>
void ComputeRow(int64_t n, const T* a, const T* b, T* y) {
  for (int64_t i = 0; i < n; ++i) y[i] = ApplyEltwise<kType>(a[i], b[i]);
}

template <typename T>
EltwiseRowFn<T>* FindRow(EltwiseType type) {
  using Type = EltwiseType;
  static constexpr EltwiseRowFn<T>* kRows[] = {
      // in the order of EltwiseType
      ComputeRow<Type::kSum, T>,      ComputeRow<Type::kSub, T>,
      ComputeRow<Type::kProd, T>,     ComputeRow<Type::kDiv, T>,
      ComputeRow<Type::kMin, T>,      ComputeRow<Type::kMax, T>,
      ComputeRow<Type::kPow, T>,      ComputeRow<Type::kSqrDiff, T>,
      ComputeRow<Type::kFloorDiv, T>, ComputeRow<Type::kMod, T>,
      ComputeRow<Type::kFmod, T>};
  return kRows[static_cast<int>(type)];
}

// An element that serves a whole row is copied, a block at a time.
template <typename T>
void CallRow(EltwiseRowFn<T>* row, const EltwiseRow& args) {
  const T* const a = static_cast<const T*>(args.a);
  const T* const b = static_cast<const T*>(args.b);
  T* const y = static_cast<T*>(args.y);
  if (!args.one_a && !args.one_b) return row(args.n, a, b, y);
  T copies_of_a[kBlock], copies_of_b[kBlock];
  const int64_t most = std::min(kBlock, args.n);
  if (args.one_a) std::fill_n(copies_of_a, most, *a);
  if (args.one_b) std::fill_n(copies_of_b, most, *b);
  for (int64_t i = 0; i < args.n; i += kBlock) {
    row(std::min(kBlock, args.n - i), args.one_a ? copies_of_a : a + i,
        args.one_b ? copies_of_b : b + i, y + i);
  }
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

// How rows are computed: `run` knows of which type they are, and which of the
// functions it calls.
struct RowFunctions {
  void (*run)(const RowFunctions& functions, const EltwiseRow& args);
  union {
    EltwiseRowFn<float>* f32;
    EltwiseRowFn<int32_t>* i32;
    EltwiseRowFn<int64_t>* i64;
    BinaryF16Fn* micro_f16;
  };
  BinaryF32Fn* micro_f32 = nullptr;  // instead of f32, if not null
  ActivationFunction act;
  float lower = 0, upper = 0;  // of act
  bool activates = false;      // after the function
  Activator activator;
};

void RunReference(const RowFunctions& functions, const EltwiseRow& args) {
  CallRow(functions.f32, args);
  float* const y = static_cast<float*>(args.y);
  for (int64_t i = 0; i < args.n; ++i) {
    y[i] = static_cast<float>(ReferenceActivation(functions.act, y[i]));
  }
}

template <typename T>
BinaryArgs<T> ForMicroKernel(const RowFunctions& functions,
                             const EltwiseRow& args) {
  return {static_cast<size_t>(args.n),
          static_cast<const T*>(args.a),
          static_cast<const T*>(args.b),
          args.one_a,
          args.one_b,
          static_cast<T*>(args.y),
          functions.lower,
          functions.upper};
}

void RunF32(const RowFunctions& functions, const EltwiseRow& args) {
  float* const y = static_cast<float*>(args.y);
  if (functions.micro_f32 != nullptr) {
    functions.micro_f32(ForMicroKernel<float>(functions, args));
  } else {
    CallRow(functions.f32, args);
  }
  if (functions.activates) functions.activator.Apply(y, args.n, y);
}

void RunF16(const RowFunctions& functions, const EltwiseRow& args) {
  uint16_t* const y = static_cast<uint16_t*>(args.y);
  functions.micro_f16(ForMicroKernel<uint16_t>(functions, args));
  if (functions.activates) functions.activator.Apply(y, args.n, y);
}

void RunI32(const RowFunctions& functions, const EltwiseRow& args) {
  CallRow(functions.i32, args);
}

void RunI64(const RowFunctions& functions, const EltwiseRow& args) {
  CallRow(functions.i64, args);
}

RowFunctions WithActivation(const ActivationFunction& act,
                            const CpuContext& context) {
  RowFunctions functions;
  functions.act = act;
  functions.lower = act.lower();
  functions.upper = act.upper();
  functions.activator = Activator(act, context.features);
  return functions;
}

KernelPtr MakeEltwise(const Node& node, ThreadPool* threads,
                      const char* variant, const RowFunctions& functions) {
  const BroadcastPlan plan =
      PlanBroadcast(node.outputs[0].shape,
                    {node.inputs[0].type.shape, node.inputs[1].type.shape});
  const bool empty = NumElements(node.outputs[0].shape) == 0;
  const auto bytes = static_cast<int64_t>(SizeOf(node.outputs[0].dtype));
  const auto run = [=](const RunArgs& args) {
    if (empty) return;
    const char* a = args.inputs[0].as<const char>();
    const char* b = args.inputs[1].as<const char>();
    char* y = args.outputs[0].as<char>();
    const int64_t n = plan.extents.back();
    const int64_t step_a = plan.strides[0].back();
    const int64_t step_b = plan.strides[1].back();
    const auto rows = [&](size_t r0, size_t r1, size_t i0, size_t i1) {
      ForEachRow<2>(plan, r0, r1, [&](int64_t row, auto at) {
        functions.run(
            functions,
            {static_cast<int64_t>(i1 - i0), a + (at[0] + i0 * step_a) * bytes,
             step_a == 0, b + (at[1] + i0 * step_b) * bytes, step_b == 0,
             y + (row * n + i0) * bytes});
      });
    };
    threads->ParallelFor2D(NumRows(plan), n,
                           std::max<int64_t>(kEltwiseTile / n, 1), kEltwiseTile,
                           rows);
  };
  KernelProperties properties;
  properties.overlaps = InPlace(node);
  properties.variant = variant;
  return MakeKernel(run, properties);
}

// Returns whether an Eltwise of activations has an fp16 micro-kernel.
bool EltwiseComputesFp16(const Node& node, const CpuContext& context) {
  if (!ReadsActivationsOnly(node) || node.inputs.size() != 2) return false;
  const Result<EltwiseAttrs> attrs = ReadAttrs<EltwiseAttrs>(node);
  if (!attrs.ok()) return false;
  const Result<EltwiseType> type = ParseEltwiseType(node, *attrs);
  const BinaryF16& micro = ChooseRow(kBinaryF16, context.features);
  return type.ok() && FindBinary(*micro.set, *type) != nullptr;
}

Result<KernelPtr> PrepareEltwise(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const EltwiseAttrs attrs,
                        ReadAttrs<EltwiseAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const EltwiseType type, ParseEltwiseType(node, attrs));
  MACE_ASSIGN_OR_RETURN(const ActivationFunction act,
                        ResolveActivation(node, attrs));
  RowFunctions functions = WithActivation(act, context);
  const char* variant = "scalar";
  switch (node.inputs[0].type.dtype) {
    case DataType::kI32:
      functions.run = RunI32;
      functions.i32 = FindRow<int32_t>(type);
      break;
    case DataType::kI64:
      functions.run = RunI64;
      functions.i64 = FindRow<int64_t>(type);
      break;
    default:
      functions.f32 = FindRow<float>(type);
      functions.run = context.reference ? RunReference : RunF32;
      if (context.reference) break;
      const BinaryF32& micro = ChooseRow(kBinaryF32, context.features);
      functions.micro_f32 = FindBinary(*micro.set, type);
      if (functions.micro_f32 != nullptr) variant = micro.name;
      functions.activates = functions.micro_f32 != nullptr
                                ? !act.is_clamp()
                                : act.kind != ActivationKind::kNoop;
  }
  return MakeEltwise(node, context.threads, variant, functions);
}

Result<KernelPtr> PrepareEltwiseF16(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const EltwiseAttrs attrs,
                        ReadAttrs<EltwiseAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const EltwiseType type, ParseEltwiseType(node, attrs));
  MACE_ASSIGN_OR_RETURN(const ActivationFunction act,
                        ResolveActivation(node, attrs));
  const BinaryF16& micro = ChooseRow(kBinaryF16, context.features);
  RowFunctions functions = WithActivation(act, context);
  functions.run = RunF16;
  functions.micro_f16 = FindBinary(*micro.set, type);
  if (functions.micro_f16 == nullptr) {
    return Unsupported(Label(node), ": no CPU kernel for f16 of type ",
                       attrs.type);
  }
  functions.activates = !act.is_clamp();
  return MakeEltwise(node, context.threads, micro.name, functions);
}

}  // namespace

CpuKernelDefs Eltwise() {
  return WithFp16(WithQ16(WithQ8({{DataType::kF32, PrepareEltwise},
                                  {DataType::kI32, PrepareEltwise},
                                  {DataType::kI64, PrepareEltwise}},
                                 PrepareEltwiseQ8),
                          PrepareEltwiseQ16),
                  {DataType::kF16, PrepareEltwiseF16, -1, EltwiseComputesFp16});
}

}  // namespace mace::cpu
