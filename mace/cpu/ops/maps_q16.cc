// Sums, products, activations and softmax of int16 values.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "mace/base/make_shared.h"
#include "mace/cpu/common/activation.h"
#include "mace/cpu/common/axis_lines.h"
#include "mace/cpu/common/broadcast_loop.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/gemm/q16.h"
#include "mace/cpu/quantized/quantization.h"
#include "mace/graph/attrs.h"
#include "mace/ops/activation.h"
#include "mace/ops/eltwise.h"
#include "mace/ops/softmax.h"

namespace mace::cpu {
namespace {

constexpr int64_t kMapsQ16Tile = 1 << 12;
constexpr int kMapsQ16SumBits = 15;      // more than the operands of a sum have
constexpr float kUnitQ16 = 1.f / 32768;  // the scale of results up to 1

int32_t MapsSaturate16(int64_t x) {
  return static_cast<int32_t>(
      std::min<int64_t>(std::max<int64_t>(x, -32768), 32767));
}

// Applies f to each value of a tensor.
template <typename F>
KernelPtr MakeMap(const Node& node, CpuContext& context, const F& f) {
  const int64_t n = NumElements(node.outputs[0].shape);
  KernelProperties properties;
  properties.variant = "map_q16";
  properties.overlaps = {{0, 0}};
  return MakeKernel(
      [f, n, threads = context.threads](const RunArgs& args) {
        const auto* x = args.inputs[0].as<const int16_t>();
        auto* y = args.outputs[0].as<int16_t>();
        threads->ParallelFor(n, kMapsQ16Tile, [&](size_t begin, size_t end) {
          for (size_t i = begin; i < end; ++i) {
            y[i] = static_cast<int16_t>(f(int32_t{x[i]}));
          }
        });
      },
      properties);
}

// f(a, b) of two quantized values.
template <typename F>
KernelPtr MakePairs(const Node& node, CpuContext& context, const F& f) {
  const BroadcastPlan plan =
      PlanBroadcast(node.outputs[0].shape,
                    {node.inputs[0].type.shape, node.inputs[1].type.shape});
  KernelProperties properties;
  properties.variant = "eltwise_q16";
  for (int i : {0, 1}) {
    if (node.inputs[i].type.shape == node.outputs[0].shape) {
      properties.overlaps.push_back({i, 0});
    }
  }
  return MakeKernel(
      [f, plan, threads = context.threads](const RunArgs& args) {
        const auto* a = args.inputs[0].as<const int16_t>();
        const auto* b = args.inputs[1].as<const int16_t>();
        auto* y = args.outputs[0].as<int16_t>();
        const int64_t n = plan.extents.back();
        const int64_t a_step = plan.strides[0].back();
        const int64_t b_step = plan.strides[1].back();
        const int64_t tile = std::max<int64_t>(kMapsQ16Tile / n, 1);
        threads->ParallelFor(
            NumRows(plan), tile, [&](size_t begin, size_t end) {
              ForEachRow<2>(plan, begin, end, [&](int64_t r, const auto& at) {
                for (int64_t i = 0; i < n; ++i) {
                  y[r * n + i] =
                      static_cast<int16_t>(f(int32_t{a[at[0] + i * a_step]},
                                             int32_t{b[at[1] + i * b_step]}));
                }
              });
            });
      },
      properties);
}

// 65536 times the sigmoid of i / 24, less a part of its curvature, as TFLite
// tabulates it.
std::array<int32_t, 256> SigmoidTable() {
  const auto sigmoid = [](double i) { return 65536 / (1 + std::exp(-i / 24)); };
  std::array<int32_t, 256> table;
  for (int i = 0; i < 255; ++i) {
    const double bend = (sigmoid(i) + sigmoid(i + 1)) / 2 - sigmoid(i + 0.5);
    table[i] = static_cast<int32_t>(std::floor(sigmoid(i) - bend / 2 + 0.5));
  }
  table[255] = 65535;
  return table;
}

// Quantized values to the table's argument, of which a unit is 1 / (24 * 2^9),
// or 2^8 for tanh.
struct TableScale {
  int32_t factor = 0;
  int shift = 0;

  int32_t operator()(int32_t q) const {
    const int32_t half = shift == 0 ? 0 : 1 << (shift - 1);
    constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
    const int64_t scaled = (int64_t{q} * factor + half) >> shift;
    return static_cast<int32_t>(std::clamp(scaled, -kMax, kMax));
  }
};

// `powers` is by how many powers of two a scale may exceed 2^-12 and be exact.
TableScale TableScaleOf(float scale, int powers) {
  int exponent = 0;
  const bool is_power = std::frexp(scale, &exponent) == 0.5f;
  const int more = exponent - 1 + 12;
  if (is_power && more >= 0 && more <= powers) return {3 << more, 0};
  double real = double{scale} * 4096 * 3;
  TableScale found;
  while (real <= 32767.0 / 2 && found.shift <= 30) {
    real *= 2;
    ++found.shift;
  }
  found.factor = static_cast<int32_t>(std::min(real, 2147483647.0));
  return found;
}

int32_t Sigmoid(const std::array<int32_t, 256>& table, int32_t x) {
  const auto magnitude = static_cast<uint32_t>(std::abs(x));
  const uint32_t i = magnitude >> 9;
  int32_t y = 32767 << 10;
  if (i < 255) {
    y = (table[i] << 9) +
        static_cast<int32_t>(magnitude & 511) * (table[i + 1] - table[i]);
  }
  return (x >= 0 ? y + 512 : (1 << 25) - y + 511) >> 10;
}

int32_t Tanh(const std::array<int32_t, 256>& table, int32_t x) {
  const auto magnitude = static_cast<uint32_t>(std::abs(x));
  const uint32_t i = magnitude >> 8;
  int32_t y = 65535 << 8;
  if (i < 255) {
    y = (table[i] << 8) +
        static_cast<int32_t>(magnitude & 255) * (table[i + 1] - table[i]);
  }
  return (x >= 0 ? y - (1 << 23) + 128 : -y + (1 << 23) + 127) >> 8;
}

Status CheckUnit(const Node& node, const char* what) {
  const Quantization& y = *node.outputs[0].quantization;
  if (std::fabs(y.scale() / kUnitQ16 - 1) <= 1e-3f && y.zero_point() == 0) {
    return Status();
  }
  return Unsupported(Label(node),
                     ": of quantized i16 tensors the CPU computes ", what,
                     " with a scale of 2^-15 and the zero point 0; y is ",
                     ToString(node.outputs[0]));
}

// 512 steps of a function, and its last value; values between two of them lie
// on a line, which is moved by half of the error in its middle.
struct Table16 {
  std::array<int16_t, 513> values;

  template <typename F>
  Table16(double least, double most, const F& f) {
    constexpr double kInverse = 65536.0 / 2;  // results are in [-1, 1]
    const double step = (most - least) / 512;
    for (int i = 0; i < 512; ++i) {
      const double x = least + i * step;
      const double first = std::round(f(x) * kInverse);
      const double middle = std::round(f(x + step / 2) * kInverse);
      const double line = std::round((f(x + step) * kInverse + first) / 2);
      values[i] = static_cast<int16_t>(MapsSaturate16(
          static_cast<int64_t>(first - std::round((line - middle) / 2))));
    }
    values[512] =
        static_cast<int16_t>(MapsSaturate16(std::llround(f(most) * kInverse)));
  }
  int32_t At(int32_t x) const {
    const int32_t i = 256 + (x >> 7);
    const auto slope = static_cast<int16_t>(values[i + 1] - values[i]);
    return values[i] + ((slope * (x & 127) + 64) >> 7);
  }
};

struct SoftmaxQ16 {
  AxisLines lines;
  FixedFactor factor;  // of differences of values
  Table16 exp = Table16(-10, 0, [](double x) { return std::exp(x); });
  Table16 reciprocal = Table16(0, 1, [](double x) { return 1 / (1 + x); });

  int32_t Exp(int32_t difference) const {
    return exp.At(MapsSaturate16(int64_t{Scale(difference, factor)} + 32767));
  }
  void Line(const int16_t* x, int16_t* y) const {
    const int64_t n = lines.n, inner = lines.inner;
    int32_t most = x[0];
    for (int64_t k = 1; k < n; ++k) {
      most = std::max<int32_t>(most, x[k * inner]);
    }
    int64_t sum = 0;
    for (int64_t k = 0; k < n; ++k) sum += Exp(x[k * inner] - most);
    // The sum is 2^(31 - headroom) (1 + part).
    const int headroom = __builtin_clz(static_cast<uint32_t>(sum));
    const int64_t part = ((sum << (headroom - 1)) + (1 << 13)) >> 14;
    const int32_t inverse = reciprocal.At(MapsSaturate16(part - 98304));
    const int shift = 31 - headroom;
    for (int64_t k = 0; k < n; ++k) {
      const int64_t share = int64_t{Exp(x[k * inner] - most)} * inverse;
      const int64_t quantized_value =
          (share + (int64_t{1} << (shift - 1))) >> shift;
      y[k * inner] = static_cast<int16_t>(
          std::min<int64_t>(std::max<int64_t>(quantized_value, 0), 32767));
    }
  }
};

}  // namespace

Status CheckZeroPointsQ16(const Node& node) {
  bool all_zero = node.outputs[0].quantization->zero_point() == 0;
  for (const Operand& input : node.inputs) {
    if (!input.type.is_quantized()) continue;
    for (const int32_t zero : input.type.quantization->zero_points) {
      all_zero = all_zero && zero == 0;
    }
  }
  if (all_zero) return Status();
  return Unsupported(Label(node),
                     ": of quantized i16 tensors the CPU computes those with "
                     "zero points of 0; y is ",
                     ToString(node.outputs[0]), ", x is ",
                     ToString(node.inputs[0].type));
}

Result<KernelPtr> PrepareEltwiseQ16(const Node& node, CpuContext& context) {
  MACE_RETURN_IF_ERROR(CheckZeroPointsQ16(node));
  MACE_ASSIGN_OR_RETURN(const EltwiseAttrs attrs,
                        ReadAttrs<EltwiseAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const EltwiseType type, ParseEltwiseType(node, attrs));
  MACE_ASSIGN_OR_RETURN(const QuantizedRange range,
                        RangeAfter(node, attrs, node.outputs[0]));
  const float a = node.inputs[0].type.quantization->scale();
  const float b = node.inputs[1].type.quantization->scale();
  const float y = node.outputs[0].quantization->scale();
  if (type == EltwiseType::kProd) {
    const FixedFactor factor = ToFixed(a * b / y);
    return MakePairs(node, context, [=](int32_t p, int32_t q) {
      return range.Clamp(Scale(p * q, factor));
    });
  }
  if (type != EltwiseType::kSum && type != EltwiseType::kSub) {
    return Unsupported(Label(node),
                       ": of quantized i16 tensors the CPU computes SUM, SUB "
                       "and PROD, not ",
                       attrs.type);
  }
  const double unit = 2 * double{std::max(a, b)};
  const FixedFactor of_a = ToFixed(a / unit), of_b = ToFixed(b / unit);
  const FixedFactor of_y = ToFixed(unit / (double{1 << kMapsQ16SumBits} * y));
  const int32_t sign = type == EltwiseType::kSum ? 1 : -1;
  return MakePairs(node, context, [=](int32_t p, int32_t q) {
    const int32_t sum = Scale(p * (1 << kMapsQ16SumBits), of_a) +
                        sign * Scale(q * (1 << kMapsQ16SumBits), of_b);
    return range.Clamp(Scale(sum, of_y));
  });
}

Result<KernelPtr> PrepareActivationQ16(const Node& node, CpuContext& context) {
  MACE_RETURN_IF_ERROR(CheckZeroPointsQ16(node));
  MACE_ASSIGN_OR_RETURN(const ActivationOpAttrs attrs,
                        ReadAttrs<ActivationOpAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ActivationKind kind,
                        ParseActivation(node, attrs));
  const float x = node.inputs[0].type.quantization->scale();
  const float y = node.outputs[0].quantization->scale();
  if (kind == ActivationKind::kSigmoid || kind == ActivationKind::kTanh) {
    const bool is_tanh = kind == ActivationKind::kTanh;
    MACE_RETURN_IF_ERROR(CheckUnit(node, is_tanh ? "TANH" : "SIGMOID"));
    const TableScale scale = TableScaleOf(x, is_tanh ? 1 : 0);
    const auto table = SigmoidTable();
    return MakeMap(node, context, [=](int32_t q) {
      return is_tanh ? Tanh(table, scale(q)) : Sigmoid(table, scale(q));
    });
  }
  FixedFactor positive = ToFixed(x / y), negative = positive;
  QuantizedRange range = RangeOf(DataType::kI16);
  int32_t sign = 1;
  if (kind == ActivationKind::kLeakyRelu) {
    const float slope = attrs.activation_coefficient;
    negative = ToFixed(std::fabs(x * slope / y));
    sign = slope < 0 ? -1 : 1;
  } else {
    MACE_ASSIGN_OR_RETURN(range, RangeAfter(node, attrs, node.outputs[0]));
  }
  return MakeMap(node, context, [=](int32_t q) {
    return range.Clamp(q >= 0 ? Scale(q, positive) : sign * Scale(q, negative));
  });
}

Result<KernelPtr> PrepareSoftmaxQ16(const Node& node, CpuContext& context) {
  MACE_RETURN_IF_ERROR(CheckZeroPointsQ16(node));
  MACE_ASSIGN_OR_RETURN(const SoftmaxAttrs attrs,
                        ReadAttrs<SoftmaxAttrs>(node));
  MACE_RETURN_IF_ERROR(CheckUnit(node, "Softmax"));
  auto softmax = MakeShared<SoftmaxQ16>();
  MACE_ASSIGN_OR_RETURN(
      softmax->lines, LinesAlong(node, attrs.axis, node.inputs[0].type.shape));
  constexpr int64_t kLimit = 1 << 16;  // of which the sum fits into 31 bits
  if (attrs.use_log || softmax->lines.n >= kLimit) {
    return Unsupported(Label(node),
                       ": of quantized i16 tensors the CPU computes Softmax of "
                       "fewer than ",
                       kLimit, " elements, without use_log");
  }
  softmax->factor = ToFixed(double{node.inputs[0].type.quantization->scale()} /
                            (10.0 / 65535));
  KernelProperties properties;
  properties.variant = "softmax_q16";
  properties.overlaps = {{0, 0}};
  return MakeKernel(
      [softmax, threads = context.threads](const RunArgs& args) {
        const auto* x = args.inputs[0].as<const int16_t>();
        auto* y = args.outputs[0].as<int16_t>();
        threads->ParallelFor(
            softmax->lines.count(), 16, [&](size_t begin, size_t end) {
              for (size_t l = begin; l < end; ++l) {
                const int64_t at =
                    softmax->lines.Start(static_cast<int64_t>(l));
                softmax->Line(x + at, y + at);
              }
            });
      },
      properties);
}

}  // namespace mace::cpu
