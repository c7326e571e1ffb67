// Activation on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/activation.h"

#include <cmath>
#include <type_traits>

#include "mace/cpu/common/activation.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/common/fp16_weights.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/gemm/q16.h"
#include "mace/cpu/quantized/lut_q8.h"
#include "mace/device/kernel.h"
#include "mace/graph/attrs.h"

namespace mace::cpu {
namespace {

// x and y of a node.
struct Scales {
  const Quantization& x;
  const Quantization& y;
  QuantizedRange range;
};

std::array<uint8_t, 256> ReluTable(const Node& node, const Scales& s) {
  const FixedFactor factor = ToFixed(s.x.scale() / s.y.scale());
  return TableOf(node, [&](int32_t q) {
    return s.range.Clamp(Scale(q - s.x.zero_point(), factor) +
                         s.y.zero_point());
  });
}

// A negative slope is multiplied by its magnitude.
std::array<uint8_t, 256> LeakyReluTable(const Node& node, const Scales& s,
                                        float slope) {
  const FixedFactor positive = ToFixed(s.x.scale() / s.y.scale());
  const FixedFactor negative =
      ToFixed(std::fabs(s.x.scale() * slope / s.y.scale()));
  return TableOf(node, [&](int32_t q) {
    const int32_t v = q - s.x.zero_point();
    int32_t scaled = Scale(v, v >= 0 ? positive : negative);
    if (v < 0 && slope < 0) scaled = -scaled;
    return s.range.Clamp(scaled + s.y.zero_point());
  });
}

int16_t ActivationSaturate16(int32_t x) {
  return static_cast<int16_t>(RangeOf(DataType::kI16).Clamp(x));
}

struct Factor16 {
  int16_t mantissa = 0;
  int exponent = 0;
};

Factor16 ToFactor16(float real) {
  const FixedFactor fixed = ToFixed(real);
  constexpr int32_t kLimit = std::numeric_limits<int32_t>::max() - (1 << 15);
  if (fixed.mantissa >= kLimit) return {32767, fixed.exponent};
  return {static_cast<int16_t>((fixed.mantissa + (1 << 15)) >> 16),
          fixed.exponent};
}

// Returns x times a gate that rises from 0 at -3 to 1 at 3. The gate has 15
// fraction bits; x has 7 bits more than its quantized values.
int32_t HardSwish(int32_t v, Factor16 to_y, Factor16 to_gate) {
  const auto x = static_cast<int16_t>(v * 128);
  const int32_t product = MultiplyHigh16(x, to_y.mantissa);
  const int exponent = to_gate.exponent;
  int16_t gate = x;
  if (exponent > 0) gate = ActivationSaturate16(gate * (1 << (exponent - 1)));
  gate = static_cast<int16_t>(MultiplyHigh16(gate, to_gate.mantissa));
  if (exponent > 0) gate = ActivationSaturate16(gate * 2);
  if (exponent < 0) {
    gate = static_cast<int16_t>(RoundingShift(gate, -exponent));
  }
  const int32_t half = (gate + (1 << 15)) >> 1;
  const int32_t y = half * product / (1 << 15);
  return RoundingShift(y, -to_y.exponent);
}

Result<std::array<uint8_t, 256>> HardSwishTable(const Node& node,
                                                const Scales& s) {
  const float unit = s.x.scale() / 128;
  const Factor16 to_y = ToFactor16(unit / s.y.scale());
  const Factor16 to_gate = ToFactor16(unit / (3.f / 32768));
  if (to_y.exponent > 0 || to_y.exponent < -31 || to_gate.exponent > 15) {
    return Unsupported(Label(node), ": the scales of x and y, ", s.x.scale(),
                       " and ", s.y.scale(), ", are too far apart");
  }
  return TableOf(node, [&](int32_t q) {
    return s.range.Clamp(HardSwish(q - s.x.zero_point(), to_y, to_gate) +
                         s.y.zero_point());
  });
}

std::array<uint8_t, 256> FloatTable(const Node& node, const Scales& s,
                                    const ActivationFunction& act) {
  const float inverse = 1 / s.y.scale();
  return TableOf(node, [&](int32_t q) {
    const float x = s.x.scale() * static_cast<float>(q - s.x.zero_point());
    const auto y = static_cast<float>(ReferenceActivation(act, x));
    return QuantizeUnits(y * inverse, s.y.zero_point(), s.range);
  });
}

// RELU, RELUX, LEAKYRELU and HARDSWISH are computed in fixed point, all others
// in single precision, as TFLite does.
Result<KernelPtr> PrepareActivationQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ActivationOpAttrs attrs,
                        ReadAttrs<ActivationOpAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ActivationFunction act,
                        ResolveActivation(node, attrs));
  MACE_ASSIGN_OR_RETURN(const ActivationKind kind,
                        ParseActivation(node, attrs));
  const TensorType& y = node.outputs[0];
  Scales s = {*node.inputs[0].type.quantization, *y.quantization,
              RangeOf(y.dtype)};
  switch (kind) {
    case ActivationKind::kNoop:
    case ActivationKind::kRelu:
    case ActivationKind::kRelux: {
      MACE_ASSIGN_OR_RETURN(s.range, RangeAfter(node, attrs, y));
      return MakeLut(node, context, ReluTable(node, s));
    }
    case ActivationKind::kLeakyRelu:
      return MakeLut(node, context,
                     LeakyReluTable(node, s, attrs.activation_coefficient));
    case ActivationKind::kHardSwish: {
      MACE_ASSIGN_OR_RETURN(const auto table, HardSwishTable(node, s));
      return MakeLut(node, context, table);
    }
    default:
      return MakeLut(node, context, FloatTable(node, s, act));
  }
}

constexpr int64_t kActivationTile = 8192;  // elements of a task

// T is float, or uint16_t for fp16.
template <typename T>
KernelPtr MakeActivation(const ActivationFunction& act, int64_t n,
                         CpuContext& context) {
  const Activator activator(act, context.features);
  KernelProperties properties;
  properties.overlaps = {{0, 0}};
  properties.variant = activator.variant();
  return MakeKernel(
      [activator, n, threads = context.threads](const RunArgs& args) {
        const T* x = args.inputs[0].as<const T>();
        T* y = args.outputs[0].as<T>();
        threads->ParallelFor(n, kActivationTile, [&](size_t begin, size_t end) {
          activator.Apply(x + begin, end - begin, y + begin);
        });
      },
      properties);
}

template <typename T>
Result<KernelPtr> PrepareActivation(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ActivationOpAttrs attrs,
                        ReadAttrs<ActivationOpAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ActivationFunction act,
                        ResolveActivation(node, attrs));
  const int64_t n = NumElements(node.outputs[0].shape);
  if (!context.reference || !std::is_same_v<T, float>) {
    return MakeActivation<T>(act, n, context);
  }
  KernelProperties properties;
  properties.overlaps = {{0, 0}};
  return MakeKernel(
      [act, n](const RunArgs& args) {
        const float* x = args.inputs[0].as<const float>();
        float* y = args.outputs[0].as<float>();
        for (int64_t i = 0; i < n; ++i) {
          y[i] = static_cast<float>(ReferenceActivation(act, x[i]));
        }
      },
      properties);
}

bool ActivationComputesFp16(const Node& node, const CpuContext&) {
  return ReadsActivationsOnly(node);
}

}  // namespace

CpuKernelDefs Activation() {
  return WithFp16(WithQ16(WithQ8({{DataType::kF32, PrepareActivation<float>}},
                                 PrepareActivationQ8),
                          PrepareActivationQ16),
                  {DataType::kF16, PrepareActivation<uint16_t>, -1,
                   ActivationComputesFp16});
}

}  // namespace mace::cpu
