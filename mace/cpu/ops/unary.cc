// Unary on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/unary.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/common/wrap.h"
#include "mace/cpu/quantized/fixed_root.h"
#include "mace/cpu/quantized/lut_q8.h"
#include "mace/cpu/ukernels/row/row_f32_table.h"
#include "mace/device/kernel.h"
#include "mace/graph/attrs.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

// Computes y[i] = f(x[i]) for n floats.
using FloatMap = void (*)(const void* x, void* y, int64_t n);

std::array<uint8_t, 256> AbsTable(const Node& node, const Quantization& x,
                                  const Quantization& y, QuantizedRange range) {
  const FixedFactor factor = ToFixed(x.scale() / y.scale());
  const bool scales = x.scale() != y.scale();
  return TableOf(node, [&](int32_t q) {
    const int32_t v = std::abs(q - x.zero_point());
    return range.Clamp((scales ? Scale(v, factor) : v) + y.zero_point());
  });
}

// The reciprocal root of quantized values below the zero point is that of 0.
std::array<uint8_t, 256> RsqrtTable(const Node& node, const Quantization& x,
                                    const Quantization& y,
                                    QuantizedRange range) {
  constexpr int kBits = 20;  // fraction bits of the root
  const float unit = std::sqrt(x.scale()) * y.scale();
  FixedFactor factor = ToFixed(1.0 / unit);
  factor.exponent -= kBits;
  return TableOf(node, [&](int32_t q) {
    const int32_t v = q - x.zero_point();
    if (v <= 0) return range.most;
    FixedFactor root = InverseRoot(v);
    root.exponent += kBits;
    // A smaller factor leaves nothing of a root.
    const int32_t units =
        factor.exponent < -31 ? 0 : Scale(Scale(1, root), factor);
    return range.Clamp(units + y.zero_point());
  });
}

// Roots are rounded towards zero.
std::array<uint8_t, 256> SqrtTable(const Node& node, const Quantization& x,
                                   const Quantization& y,
                                   QuantizedRange range) {
  return TableOf(node, [&](int32_t q) {
    const int32_t v = std::max(0, q - x.zero_point());
    const float units =
        std::sqrt(x.scale() * static_cast<float>(v)) / y.scale();
    return QuantizeUnits(std::trunc(units), y.zero_point(), range);
  });
}

std::array<uint8_t, 256> MappedTable(const Node& node, UnaryKind kind,
                                     FloatMap map, const Quantization& x,
                                     const Quantization& y,
                                     QuantizedRange range) {
  // TFLite multiplies by the reciprocal of the scale where it has a table.
  const bool by_reciprocal = kind == UnaryKind::kExp || kind == UnaryKind::kLog;
  const float inverse = 1 / y.scale();
  return TableOf(node, [&](int32_t q) {
    const float real = x.scale() * static_cast<float>(q - x.zero_point());
    float f = 0;
    map(&real, &f, 1);
    return by_reciprocal ? QuantizeUnits(f * inverse, y.zero_point(), range)
                         : QuantizeFloat(f, y, range);
  });
}

// Prepares a Unary node whose input is quantized i8 or u8. ABS, SQRT and RSQRT
// are those of TFLite's reference kernels, of which roots are rounded towards
// zero and those of numbers below 0 are the ones of 0; other functions are
// computed by `map`, of the numbers that the values stand for.
Result<KernelPtr> PrepareUnaryQ8(const Node& node, CpuContext& context,
                                 UnaryKind kind, FloatMap map) {
  const TensorType& of_y = node.outputs[0];
  const Quantization& x = *node.inputs[0].type.quantization;
  if (!of_y.is_quantized()) {
    return Unsupported(Label(node), ": of quantized tensors the CPU computes ",
                       "functions whose result is quantized; y is ",
                       ToString(of_y));
  }
  const Quantization& y = *of_y.quantization;
  const QuantizedRange range = RangeOf(of_y.dtype);
  switch (kind) {
    case UnaryKind::kAbs:
      return MakeLut(node, context, AbsTable(node, x, y, range));
    case UnaryKind::kSqrt:
      return MakeLut(node, context, SqrtTable(node, x, y, range));
    case UnaryKind::kRsqrt:
      return MakeLut(node, context, RsqrtTable(node, x, y, range));
    default:
      return MakeLut(node, context, MappedTable(node, kind, map, x, y, range));
  }
}

// Computes y[i] = f(x[i]) for n elements.
using MapFn = void (*)(const void* x, void* y, int64_t n);

template <typename T, typename Y, Y (*kFunction)(T)>
void Map(const void* x, void* y, int64_t n) {
  const T* from = static_cast<const T*>(x);
  Y* to = static_cast<Y*>(y);
  for (int64_t i = 0; i < n; ++i) to[i] = kFunction(from[i]);
}

template <typename T>
T Abs(T x) {
  if constexpr (std::is_integral_v<T>) {
    return x < 0 ? Wrap<T>::Sub(0, x) : x;
  } else {
    return std::fabs(x);
  }
}
template <typename T>
T Neg(T x) {
  if constexpr (std::is_integral_v<T>) return Wrap<T>::Sub(0, x);
  return -x;
}
template <typename T>
T Square(T x) {
  return Wrap<T>::Mul(x, x);
}
template <typename T>
T Sign(T x) {
  return x > 0 ? T{1} : x < 0 ? T{-1} : x;  // NaN stays NaN
}

float Exp(float x) { return std::exp(x); }
float Log(float x) { return std::log(x); }
float Sqrt(float x) { return std::sqrt(x); }
float Rsqrt(float x) { return 1 / std::sqrt(x); }
float Reciprocal(float x) { return 1 / x; }
float Floor(float x) { return std::floor(x); }
float Ceil(float x) { return std::ceil(x); }
float Round(float x) { return std::nearbyint(x); }
float Sin(float x) { return std::sin(x); }
float Cos(float x) { return std::cos(x); }
float Tan(float x) { return std::tan(x); }
float Asin(float x) { return std::asin(x); }
float Acos(float x) { return std::acos(x); }
float Atan(float x) { return std::atan(x); }
float Sinh(float x) { return std::sinh(x); }
float Cosh(float x) { return std::cosh(x); }
float Asinh(float x) { return std::asinh(x); }
float Acosh(float x) { return std::acosh(x); }
float Atanh(float x) { return std::atanh(x); }
float Erf(float x) { return std::erf(x); }
float Erfc(float x) { return std::erfc(x); }
uint8_t IsNan(float x) { return std::isnan(x) ? 1 : 0; }
uint8_t IsInf(float x) { return std::isinf(x) ? 1 : 0; }

template <float (*kFunction)(float)>
constexpr MapFn kMapF32 = Map<float, float, kFunction>;

// In the order of UnaryKind.
constexpr MapFn kMapsF32[] = {
    kMapF32<Abs>,
    kMapF32<Neg>,
    kMapF32<Exp>,
    kMapF32<Log>,
    kMapF32<Sqrt>,
    kMapF32<Rsqrt>,
    kMapF32<Square>,
    kMapF32<Reciprocal>,
    kMapF32<Floor>,
    kMapF32<Ceil>,
    kMapF32<Round>,
    kMapF32<Sign>,
    kMapF32<Sin>,
    kMapF32<Cos>,
    kMapF32<Tan>,
    kMapF32<Asin>,
    kMapF32<Acos>,
    kMapF32<Atan>,
    kMapF32<Sinh>,
    kMapF32<Cosh>,
    kMapF32<Asinh>,
    kMapF32<Acosh>,
    kMapF32<Atanh>,
    kMapF32<Erf>,
    Map<float, uint8_t, IsNan>,
    Map<float, uint8_t, IsInf>,
    kMapF32<Erfc>,
};

template <typename T>
MapFn IntegerMap(UnaryKind kind) {
  switch (kind) {
    case UnaryKind::kAbs:
      return Map<T, T, Abs<T>>;
    case UnaryKind::kNeg:
      return Map<T, T, Neg<T>>;
    case UnaryKind::kSquare:
      return Map<T, T, Square<T>>;
    default:
      return Map<T, T, Sign<T>>;
  }
}

struct UnaryKernel final : Kernel {
  ThreadPool* threads = nullptr;
  MapFn map = nullptr;
  decltype(RowF32Set::exp) exp = nullptr;  // if not null, used instead of map
  int64_t n = 0;
  size_t x_bytes = 4, y_bytes = 4;  // of an element

  std::vector<Overlap> overlaps() const override {
    if (x_bytes == y_bytes) return {{0, 0}};
    return {};
  }

  Status Run(const RunArgs& args) override {
    const char* x = args.inputs[0].as<const char>();
    char* y = args.outputs[0].as<char>();
    threads->ParallelFor(n, 4096, [&](size_t begin, size_t end) {
      if (exp != nullptr) {
        exp({end - begin, args.inputs[0].as<const float>() + begin,
             args.outputs[0].as<float>() + begin});
        return;
      }
      map(x + begin * x_bytes, y + begin * y_bytes,
          static_cast<int64_t>(end - begin));
    });
    return Status();
  }
};

Result<KernelPtr> PrepareUnary(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const UnaryAttrs attrs, ReadAttrs<UnaryAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const UnaryKind kind, UnaryKindOf(node, attrs));
  const TensorType& x = node.inputs[0].type;
  auto kernel = std::make_unique<UnaryKernel>();
  kernel->threads = context.threads;
  kernel->n = NumElements(x.shape);
  kernel->x_bytes = SizeOf(x.dtype);
  kernel->y_bytes = SizeOf(node.outputs[0].dtype);
  kernel->map = x.dtype == DataType::kF32   ? kMapsF32[static_cast<int>(kind)]
                : x.dtype == DataType::kI32 ? IntegerMap<int32_t>(kind)
                                            : IntegerMap<int64_t>(kind);
  if (kind == UnaryKind::kExp && !context.reference) {
    kernel->exp = ChooseRow(kRowF32, context.features).set->exp;
  }
  return KernelPtr(std::move(kernel));
}

Result<KernelPtr> PrepareUnaryNodeQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const UnaryAttrs attrs, ReadAttrs<UnaryAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const UnaryKind kind, UnaryKindOf(node, attrs));
  return PrepareUnaryQ8(node, context, kind, kMapsF32[static_cast<int>(kind)]);
}

}  // namespace

CpuKernelDefs Unary() {
  return WithQ8({{DataType::kF32, PrepareUnary},
                 {DataType::kI32, PrepareUnary},
                 {DataType::kI64, PrepareUnary}},
                PrepareUnaryNodeQ8);
}

}  // namespace mace::cpu
