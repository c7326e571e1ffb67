// Softmax of codes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ops/softmax_q8.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/common/axis_lines.h"
#include "mace/cpu/quantized/codes.h"
#include "mace/cpu/quantized/fixed_exp.h"
#include "mace/graph/attrs.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/softmax.h"

namespace mace::cpu {
namespace {

constexpr int kSoftmaxQ8DifferenceBits = 26;  // fraction bits of x - max(x)
constexpr int kSoftmaxQ8SumBits = 12;         // integer bits of the sum
constexpr int kSoftmaxQ8OutputBits = 8;
constexpr int64_t kSoftmaxQ8Tile = 4096;

template <typename T>
struct SoftmaxQ8 final : Kernel {
  ThreadPool* threads = nullptr;
  AxisLines lines;
  FixedFactor factor;            // of differences of codes
  int32_t least_difference = 0;  // below it, the exponential is 0
  CodeRange range;

  std::string variant() const override { return "softmax_q8"; }
  std::vector<Overlap> overlaps() const override { return {{0, 0}}; }

  Status Run(const RunArgs& args) override {
    const T* x = args.inputs[0].as<const T>();
    T* y = args.outputs[0].as<T>();
    const int64_t tile = std::max<int64_t>(1, kSoftmaxQ8Tile / lines.n);
    threads->ParallelFor(lines.count(), tile, [&](size_t begin, size_t end) {
      for (size_t line = begin; line < end; ++line) {
        const int64_t at = lines.Start(static_cast<int64_t>(line));
        Line(x + at, y + at);
      }
    });
    return Status();
  }

  // Of -difference; as far as least_difference.
  int32_t exps[256] = {};
  int32_t Exp(int32_t difference) const { return exps[-difference]; }

  void Line(const T* x, T* y) const {
    const int64_t n = lines.n, inner = lines.inner;
    T most = x[0];
    for (int64_t k = 1; k < n; ++k) most = std::max(most, x[k * inner]);
    int64_t sum = 0;
    for (int64_t k = 0; k < n; ++k) {
      const int32_t difference = x[k * inner] - most;
      if (difference < least_difference) continue;
      sum += RoundingShift(Exp(difference), kSoftmaxQ8SumBits);
    }
    const FixedReciprocal scale =
        Reciprocal(static_cast<int32_t>(sum), kSoftmaxQ8SumBits);
    const int shift = scale.bits_over_unit + 31 - kSoftmaxQ8OutputBits;
    // Shares of a sum of 512 or more are all below half of a step.
    const int32_t least = shift > 31 ? 1 : least_difference;
    for (int64_t k = 0; k < n; ++k) {
      const int32_t difference = x[k * inner] - most;
      int32_t code = range.least;
      if (difference >= least) {
        const int32_t share = MultiplyHigh(scale.fraction, Exp(difference));
        code += RoundingShift(share, shift);
      }
      y[k * inner] = static_cast<T>(range.Clamp(code));
    }
  }
};

template <typename T>
Result<KernelPtr> MakeSoftmaxQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const SoftmaxAttrs attrs,
                        ReadAttrs<SoftmaxAttrs>(node));
  const TensorType& y = node.outputs[0];
  auto kernel = std::make_unique<SoftmaxQ8<T>>();
  kernel->range = CodesOf(y.dtype);
  const Quantization& q = *y.quantization;
  if (attrs.use_log || std::fabs(q.scale() * 256 - 1) > 1e-3f ||
      q.zero_point() != kernel->range.least) {
    return Unsupported(Label(node),
                       ": of quantized tensors the CPU computes "
                       "Softmax with a scale of 1/256 and the zero point ",
                       kernel->range.least, ", without use_log; y is ",
                       ToString(y));
  }
  // Sums of exponentials have 12 integer bits.
  MACE_ASSIGN_OR_RETURN(
      kernel->lines, LinesAlong(node, attrs.axis, node.inputs[0].type.shape));
  if (kernel->lines.n >= 1 << kSoftmaxQ8SumBits) {
    return Unsupported(Label(node),
                       ": of quantized tensors the CPU computes "
                       "Softmax of fewer than ",
                       1 << kSoftmaxQ8SumBits, " elements; x is ",
                       ToString(node.inputs[0].type));
  }
  const double unit = node.inputs[0].type.quantization->scale() *
                      static_cast<double>(1 << kSoftmaxQ8DifferenceBits);
  kernel->factor = ToFixed(std::min(unit, 2147483647.0));
  const double reach = std::ldexp(31.0 * (1 << kSoftmaxQ8DifferenceBits),
                                  -kernel->factor.exponent);
  kernel->least_difference =
      -static_cast<int32_t>(std::min(std::floor(reach), 256.0));
  for (int32_t d = 0; d > -256 && d >= kernel->least_difference; --d) {
    kernel->exps[-d] = FixedExp(Scale(d, kernel->factor));
  }
  kernel->threads = context.threads;
  return KernelPtr(std::move(kernel));
}

}  // namespace

Result<KernelPtr> PrepareSoftmaxQ8(const Node& node, CpuContext& context) {
  return node.inputs[0].type.dtype == DataType::kU8
             ? MakeSoftmaxQ8<uint8_t>(node, context)
             : MakeSoftmaxQ8<int8_t>(node, context);
}

}  // namespace mace::cpu
