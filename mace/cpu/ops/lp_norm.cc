// LpNorm on the CPU, over any axis.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/lp_norm.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/common/axis_lines.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/quantized/fixed_root.h"
#include "mace/cpu/quantized/quantization.h"
#include "mace/device/kernel.h"
#include "mace/graph/attrs.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

constexpr int kLpNormQ8OutputBits = 7;  // of 1/128

struct LineNorm {
  int64_t n = 0, stride = 0;
  int32_t x_zero = 0, y_zero = 0;
  QuantizedRange range;

  template <typename T>
  void operator()(const T* x, T* y) const {
    int32_t sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      const int32_t v = x[i * stride] - x_zero;
      sum += v * v;
    }
    // The unit of the output is in the factor for i8, in the terms for u8.
    constexpr bool kIsSigned = std::is_signed_v<T>;
    FixedFactor factor = InverseRoot(sum);
    factor.exponent += kIsSigned ? kLpNormQ8OutputBits : 0;
    for (int64_t i = 0; i < n; ++i) {
      const int32_t v =
          (x[i * stride] - x_zero) * (kIsSigned ? 1 : 1 << kLpNormQ8OutputBits);
      y[i * stride] = static_cast<T>(range.Clamp(Scale(v, factor) + y_zero));
    }
  }
};

template <typename T>
KernelPtr MakeLpNormQ8(const LineNorm& norm, const AxisLines& lines,
                       CpuContext& context) {
  KernelProperties properties;
  properties.variant = "lp_norm_q8";
  properties.overlaps = {{0, 0}};
  return MakeKernel(
      [norm, lines, threads = context.threads](const RunArgs& args) {
        const T* x = args.inputs[0].as<const T>();
        T* y = args.outputs[0].as<T>();
        threads->ParallelFor(lines.count(), 16, [&](size_t begin, size_t end) {
          for (size_t line = begin; line < end; ++line) {
            const int64_t at = lines.Start(static_cast<int64_t>(line));
            norm(x + at, y + at);
          }
        });
      },
      properties);
}

// Prepares an LpNorm node whose input is quantized i8 or u8. Results are those
// of TFLite's reference kernel, which has no epsilon. Errors: MACE_UNSUPPORTED
// for p other than 2, and outputs of another scale than 1/128 or of a zero
// point other than 0 (i8) and 128 (u8).
Result<KernelPtr> PrepareLpNormQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const LpNormAttrs attrs, ReadAttrs<LpNormAttrs>(node));
  const TensorType& y = node.outputs[0];
  MACE_ASSIGN_OR_RETURN(const AxisLines lines,
                        LinesAlong(node, attrs.axis, y.shape));
  const bool is_u8 = y.dtype == DataType::kU8;
  LineNorm norm = {lines.n, lines.inner,
                   node.inputs[0].type.quantization->zero_point(),
                   is_u8 ? 128 : 0, RangeOf(y.dtype)};
  // A sum of more squares of quantized values would not fit into 32 bits.
  constexpr int64_t kLimit = (int64_t{1} << 31) / (255 * 255) - 1;
  if (attrs.p != 2 || std::fabs(y.quantization->scale() * 128 - 1) > 1e-3f ||
      y.quantization->zero_point() != norm.y_zero || lines.n > kLimit) {
    return Unsupported(
        Label(node), ": of quantized tensors the CPU computes LpNorm with p 2 ",
        "of at most ", kLimit,
        " elements, a scale of 1/128 and the zero point ", norm.y_zero,
        "; y is ", ToString(y));
  }
  return is_u8 ? MakeLpNormQ8<uint8_t>(norm, lines, context)
               : MakeLpNormQ8<int8_t>(norm, lines, context);
}

void NormalizeLpNormRow(const float* x, float* y, int64_t n, int64_t stride,
                        bool squares, float epsilon) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double v = x[i * stride];
    sum += squares ? v * v : std::fabs(v);
  }
  const float norm =
      std::max(static_cast<float>(squares ? std::sqrt(sum) : sum), epsilon);
  for (int64_t i = 0; i < n; ++i) {
    y[i * stride] = norm == 0 ? 0 : x[i * stride] / norm;
  }
}

Result<KernelPtr> PrepareLpNormF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const LpNormAttrs attrs, ReadAttrs<LpNormAttrs>(node));
  MACE_ASSIGN_OR_RETURN(
      const AxisLines lines,
      LinesAlong(node, attrs.axis, node.inputs[0].type.shape));
  KernelProperties properties;
  properties.overlaps = {{0, 0}};
  return MakeKernel(
      [threads = context.threads, lines, squares = attrs.p == 2,
       epsilon = attrs.epsilon](const RunArgs& args) {
        const float* from = args.inputs[0].as<const float>();
        float* to = args.outputs[0].as<float>();
        threads->ParallelFor(lines.count(), 16, [=](size_t begin, size_t end) {
          for (size_t line = begin; line < end; ++line) {
            const int64_t at = lines.Start(line);
            NormalizeLpNormRow(from + at, to + at, lines.n, lines.inner,
                               squares, epsilon);
          }
        });
      },
      properties);
}

}  // namespace

CpuKernelDefs LpNorm() {
  return WithQ8({{DataType::kF32, PrepareLpNormF32}}, PrepareLpNormQ8);
}

}  // namespace mace::cpu
