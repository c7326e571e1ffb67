// Elementwise arithmetic of codes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/quantized/eltwise_q8.h"

#include <algorithm>

#include "mace/cpu/common/broadcast_loop.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/quantized/codes.h"
#include "mace/cpu/ukernels/sum_q8/sum_q8_table.h"
#include "mace/graph/attrs.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/eltwise.h"

namespace mace::cpu {
namespace {

constexpr int64_t kTile = 8192;  // elements of a task
// Operands of sums are scaled to a common unit with so many bits more.
constexpr int kSumBits = 20;

// From codes of a and b to a code of y.
struct Arithmetic {
  EltwiseType type = EltwiseType::kSum;
  int32_t a_zero = 0, b_zero = 0, y_zero = 0;
  FixedFactor a, b, y;  // a and b of sums only
  CodeRange range;

  int32_t operator()(int32_t a_code, int32_t b_code) const {
    const int32_t p = a_code - a_zero, q = b_code - b_zero;
    switch (type) {
      case EltwiseType::kMin:
        return range.Clamp(std::min(a_code, b_code));
      case EltwiseType::kMax:
        return range.Clamp(std::max(a_code, b_code));
      case EltwiseType::kProd:
        return range.Clamp(Scale(p * q, y) + y_zero);
      default: {
        const int32_t s = Scale(p * (1 << kSumBits), a);
        const int32_t t = Scale(q * (1 << kSumBits), b);
        return range.Clamp(Scale(type == EltwiseType::kSub ? s - t : s + t, y) +
                           y_zero);
      }
    }
  }
};

Result<Arithmetic> MakeArithmetic(const Node& node) {
  MACE_ASSIGN_OR_RETURN(const EltwiseAttrs attrs,
                        ReadAttrs<EltwiseAttrs>(node));
  const Quantization& a = *node.inputs[0].type.quantization;
  const Quantization& b = *node.inputs[1].type.quantization;
  const Quantization& y = *node.outputs[0].quantization;
  Arithmetic f;
  MACE_ASSIGN_OR_RETURN(f.type, ParseEltwiseType(node, attrs));
  MACE_ASSIGN_OR_RETURN(f.range, CodesAfter(node, attrs, node.outputs[0]));
  f.a_zero = a.zero_point();
  f.b_zero = b.zero_point();
  f.y_zero = y.zero_point();
  switch (f.type) {
    case EltwiseType::kSum:
    case EltwiseType::kSub: {
      const double unit = 2 * double{std::max(a.scale(), b.scale())};
      f.a = ToFixed(a.scale() / unit);
      f.b = ToFixed(b.scale() / unit);
      f.y = ToFixed(unit / (double{1 << kSumBits} * y.scale()));
      return f;
    }
    case EltwiseType::kProd:
      f.y = ToFixed(a.scale() * b.scale() / y.scale());
      return f;
    case EltwiseType::kMin:
    case EltwiseType::kMax:
      if (a == b && a == y) return f;
      return Unsupported(Label(node),
                         ": a, b and y must be quantized alike, "
                         "not as",
                         ToString(node.inputs[0].type.quantization), ",",
                         ToString(node.inputs[1].type.quantization), " and",
                         ToString(node.outputs[0].quantization));
    default:
      return Unsupported(Label(node),
                         ": of quantized tensors the CPU computes "
                         "SUM, SUB, PROD, MIN and MAX, not ",
                         attrs.type);
  }
}

template <typename T>
KernelPtr MakeKernelFor(const Node& node, const Arithmetic& f,
                        CpuContext& context) {
  const BroadcastPlan plan =
      PlanBroadcast(node.outputs[0].shape,
                    {node.inputs[0].type.shape, node.inputs[1].type.shape});
  KernelFacts facts;
  facts.variant = "eltwise_q8";
  for (int i : {0, 1}) {
    if (node.inputs[i].type.shape == node.outputs[0].shape) {
      facts.overlaps.push_back({i, 0});
    }
  }
  const auto run = [plan, f, threads = context.threads](const RunArgs& args) {
    const T* a = args.inputs[0].as<const T>();
    const T* b = args.inputs[1].as<const T>();
    T* y = args.outputs[0].as<T>();
    const int64_t n = plan.extents.back();
    const int64_t step_a = plan.strides[0].back();
    const int64_t step_b = plan.strides[1].back();
    const int64_t tile = std::max<int64_t>(kTile / n, 1);
    threads->ParallelFor(NumRows(plan), tile, [&](size_t begin, size_t end) {
      ForEachRow<2>(plan, begin, end, [&](int64_t row, auto at) {
        for (int64_t i = 0; i < n; ++i) {
          y[row * n + i] =
              static_cast<T>(f(a[at[0] + i * step_a], b[at[1] + i * step_b]));
        }
      });
    });
  };
  return MakeKernel(run, facts);
}

// Of factors below 2^-30, which give 0 for all that is summed here, and others.
SumQ8Factor FactorOf(FixedFactor f) {
  if (f.exponent < -30) return {0, 0};
  return {f.mantissa, -f.exponent};
}

// Returns the kernel of a sum or difference of tensors of one shape, or null if
// the node is none.
KernelPtr MakeSum(const Node& node, const Arithmetic& f, CpuContext& context) {
  const Shape& shape = node.outputs[0].shape;
  const bool subtract = f.type == EltwiseType::kSub;
  if ((f.type != EltwiseType::kSum && !subtract) || f.y.exponent > 0 ||
      node.inputs[0].type.shape != shape ||
      node.inputs[1].type.shape != shape) {
    return nullptr;
  }
  const SumQ8& micro = ChooseRow(kSumQ8, context.features);
  const SumQ8Args all = {static_cast<size_t>(NumElements(shape)),
                         {nullptr, f.a_zero, FactorOf(f.a)},
                         {nullptr, f.b_zero, FactorOf(f.b)},
                         subtract,
                         node.outputs[0].dtype == DataType::kU8,
                         FactorOf(f.y),
                         f.y_zero,
                         f.range.least,
                         f.range.most,
                         nullptr};
  KernelFacts facts;
  facts.variant = micro.name;
  facts.overlaps = {{0, 0}, {1, 0}};
  const auto run = [all, fn = micro.fn,
                    threads = context.threads](const RunArgs& args) {
    threads->ParallelFor(all.n, kTile, [&](size_t begin, size_t end) {
      SumQ8Args part = all;
      part.n = end - begin;
      part.a.codes = args.inputs[0].as<const uint8_t>() + begin;
      part.b.codes = args.inputs[1].as<const uint8_t>() + begin;
      part.y = args.outputs[0].as<uint8_t>() + begin;
      fn(part);
    });
  };
  return MakeKernel(run, facts);
}

}  // namespace

Result<KernelPtr> PrepareEltwiseQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const Arithmetic f, MakeArithmetic(node));
  if (KernelPtr sum = MakeSum(node, f, context)) return sum;
  return node.inputs[0].type.dtype == DataType::kU8
             ? MakeKernelFor<uint8_t>(node, f, context)
             : MakeKernelFor<int8_t>(node, f, context);
}

}  // namespace mace::cpu
