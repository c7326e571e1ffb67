// Codes times the reciprocal root of their sum of squares.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ops/lp_norm_q8.h"

#include <cmath>

#include "mace/cpu/common/axis_lines.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/quantized/codes.h"
#include "mace/cpu/quantized/fixed_root.h"
#include "mace/graph/attrs.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/lp_norm.h"

namespace mace::cpu {
namespace {

constexpr int kLpNormQ8OutputBits = 7;  // of 1/128

struct LineNorm {
  int64_t n = 0, stride = 0;
  int32_t x_zero = 0, y_zero = 0;
  CodeRange range;

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
  KernelFacts facts;
  facts.variant = "lp_norm_q8";
  facts.overlaps = {{0, 0}};
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
      facts);
}

}  // namespace

Result<KernelPtr> PrepareLpNormQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const LpNormAttrs attrs, ReadAttrs<LpNormAttrs>(node));
  const TensorType& y = node.outputs[0];
  MACE_ASSIGN_OR_RETURN(const AxisLines lines,
                        LinesAlong(node, attrs.axis, y.shape));
  const bool is_u8 = y.dtype == DataType::kU8;
  LineNorm norm = {lines.n, lines.inner,
                   node.inputs[0].type.quantization->zero_point(),
                   is_u8 ? 128 : 0, CodesOf(y.dtype)};
  // A sum of more squares of codes would not fit into 32 bits.
  constexpr int64_t kMost = (int64_t{1} << 31) / (255 * 255) - 1;
  if (attrs.p != 2 || std::fabs(y.quantization->scale() * 128 - 1) > 1e-3f ||
      y.quantization->zero_point() != norm.y_zero || lines.n > kMost) {
    return Unsupported(
        Label(node), ": of quantized tensors the CPU computes LpNorm with p 2 ",
        "of at most ", kMost, " elements, a scale of 1/128 and the zero point ",
        norm.y_zero, "; y is ", ToString(y));
  }
  return is_u8 ? MakeLpNormQ8<uint8_t>(norm, lines, context)
               : MakeLpNormQ8<int8_t>(norm, lines, context);
}

}  // namespace mace::cpu
