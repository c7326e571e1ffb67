// Quantize on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/quantize.h"

#include <cmath>

#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/gemm/q16.h"
#include "mace/cpu/quantized/lut_q8.h"
#include "mace/cpu/quantized/quantization.h"
#include "mace/cpu/ukernels/quantize_q8/quantize_q8_table.h"
#include "mace/graph/attrs.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

constexpr int64_t kQuantizeTile = 1 << 13;

Result<bool> RoundsToEven(const Node& node) {
  MACE_ASSIGN_OR_RETURN(const QuantizeAttrs attrs,
                        ReadAttrs<QuantizeAttrs>(node));
  return attrs.rounding == "EVEN";
}

// Returns the value that is nearest to `real`, ties to the even multiple of the
// scale, within the range.
int32_t QuantizeTiesEven(float real, const Quantization& quantization,
                         QuantizedRange range) {
  const float units = std::nearbyint(real / quantization.scale());
  const float quantized_value =
      units + static_cast<float>(quantization.zero_point());
  if (!(quantized_value > static_cast<float>(range.least))) return range.least;
  if (quantized_value >= static_cast<float>(range.most)) return range.most;
  return static_cast<int32_t>(quantized_value);
}

KernelPtr MakeFromFloat(const Node& node, bool to_even, CpuContext& context) {
  const TensorType& y = node.outputs[0];
  const QuantizeQ8& micro = ChooseRow(kQuantizeQ8, context.features);
  const QuantizedRange range = RangeOf(y.dtype);
  QuantizeQ8Args all = {};
  all.n = static_cast<size_t>(NumElements(y.shape));
  all.scale = y.quantization->scale();
  all.zero_point = y.quantization->zero_point();
  all.least = range.least;
  all.most = range.most;
  all.ties_to_even = to_even;
  KernelProperties properties;
  properties.variant = micro.name;
  return MakeKernel(
      [all, fn = micro.quantize,
       threads = context.threads](const RunArgs& args) {
        threads->ParallelFor(
            all.n, kQuantizeTile, [&](size_t begin, size_t end) {
              QuantizeQ8Args part = all;
              part.n = end - begin;
              part.x = args.inputs[0].as<const float>() + begin;
              part.quantized = args.outputs[0].as<uint8_t>() + begin;
              fn(part);
            });
      },
      properties);
}

KernelPtr MakeFromFloatTo16Bits(const Node& node, bool to_even,
                                CpuContext& context) {
  const TensorType& y = node.outputs[0];
  const int64_t n = NumElements(y.shape);
  KernelProperties properties;
  properties.variant = "quantize_q16";
  return MakeKernel(
      [n, to_even, quantization = y.quantization, range = RangeOf(y.dtype),
       threads = context.threads](const RunArgs& args) {
        const auto quantize_value = to_even ? QuantizeTiesEven : QuantizeFloat;
        const float* from = args.inputs[0].as<const float>();
        int16_t* to = args.outputs[0].as<int16_t>();
        threads->ParallelFor(n, kQuantizeTile, [&](size_t begin, size_t end) {
          for (size_t i = begin; i < end; ++i) {
            to[i] = static_cast<int16_t>(
                quantize_value(from[i], *quantization, range));
          }
        });
      },
      properties);
}

Result<KernelPtr> FromFloat(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const bool to_even, RoundsToEven(node));
  return node.outputs[0].dtype == DataType::kI16
             ? MakeFromFloatTo16Bits(node, to_even, context)
             : MakeFromFloat(node, to_even, context);
}

// Replaces each value q by quantize_value(q), where values have 16 bits.
template <typename From, typename To, typename F>
KernelPtr MakeLoop(const Node& node, CpuContext& context,
                   const F& quantize_value) {
  const int64_t n = NumElements(node.outputs[0].shape);
  KernelProperties properties;
  properties.variant = "quantize_q16";
  return MakeKernel(
      [n, quantize_value, threads = context.threads](const RunArgs& args) {
        const From* from = args.inputs[0].as<const From>();
        To* to = args.outputs[0].as<To>();
        threads->ParallelFor(n, kQuantizeTile, [&](size_t begin, size_t end) {
          for (size_t i = begin; i < end; ++i) {
            to[i] = static_cast<To>(quantize_value(int32_t{from[i]}));
          }
        });
      },
      properties);
}

template <typename From, typename F>
KernelPtr MakeLoopFrom(const Node& node, CpuContext& context,
                       const F& quantize_value) {
  switch (node.outputs[0].dtype) {
    case DataType::kI16:
      return MakeLoop<From, int16_t>(node, context, quantize_value);
    case DataType::kU8:
      return MakeLoop<From, uint8_t>(node, context, quantize_value);
    default:
      return MakeLoop<From, int8_t>(node, context, quantize_value);
  }
}

// Int16 values on either side, by the arithmetic of a table of quantized
// values.
Result<KernelPtr> QuantizeFrom16Bits(const Node& node,
                                     const QuantizeAttrs& attrs,
                                     CpuContext& context) {
  const TensorType& type = node.inputs[0].type;
  const Quantization x = *type.quantization;
  const Quantization y = *node.outputs[0].quantization;
  const QuantizedRange range = RangeOf(node.outputs[0].dtype);
  if (attrs.arithmetic == "FLOAT") {
    return Unsupported(Label(node),
                       ": int16 is requantized in FIXED "
                       "point only");
  }
  const bool to_even = attrs.rounding == "EVEN";
  const FixedFactor factor = ToFixed(double{x.scale()} / y.scale());
  const auto quantize_value = [=](int32_t q) {
    const int32_t units = q - x.zero_point();
    if (to_even) {
      return QuantizeTiesEven(x.scale() * static_cast<float>(units), y, range);
    }
    return range.Clamp(Scale(units, factor) + y.zero_point());
  };
  switch (type.dtype) {
    case DataType::kI16:
      return MakeLoopFrom<int16_t>(node, context, quantize_value);
    case DataType::kU8:
      return MakeLoopFrom<uint8_t>(node, context, quantize_value);
    default:
      return MakeLoopFrom<int8_t>(node, context, quantize_value);
  }
}

Result<KernelPtr> FromQuantized(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const QuantizeAttrs attrs,
                        ReadAttrs<QuantizeAttrs>(node));
  if (node.inputs[0].type.dtype == DataType::kI16 ||
      node.outputs[0].dtype == DataType::kI16) {
    return QuantizeFrom16Bits(node, attrs, context);
  }
  const Quantization& x = *node.inputs[0].type.quantization;
  const Quantization& y = *node.outputs[0].quantization;
  const QuantizedRange range = RangeOf(node.outputs[0].dtype);
  if (attrs.rounding == "EVEN") {
    return MakeLut(node, context, TableOf(node, [&](int32_t q) {
                     const auto units = static_cast<float>(q - x.zero_point());
                     return QuantizeTiesEven(x.scale() * units, y, range);
                   }));
  }
  if (attrs.arithmetic == "FLOAT") {
    const float scale = x.scale() * (1 / y.scale());
    const float bias = static_cast<float>(-x.zero_point()) * scale;
    return MakeLut(node, context, TableOf(node, [&](int32_t q) {
                     return QuantizeUnits(static_cast<float>(q) * scale + bias,
                                          y.zero_point(), range);
                   }));
  }
  const FixedFactor factor = ToFixed(double{x.scale()} / y.scale());
  return MakeLut(
      node, context, TableOf(node, [&](int32_t q) {
        return range.Clamp(Scale(q - x.zero_point(), factor) + y.zero_point());
      }));
}

}  // namespace

CpuKernelDefs Quantize() {
  return WithQ16(WithQ8({{DataType::kF32, FromFloat}}, FromQuantized),
                 FromQuantized);
}

}  // namespace mace::cpu
