// Softmax on the CPU, over any axis.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/softmax.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/common/axis_lines.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/gemm/q16.h"
#include "mace/cpu/quantized/fixed_exp.h"
#include "mace/cpu/quantized/quantization.h"
#include "mace/cpu/ukernels/row/row_f32_table.h"
#include "mace/device/kernel.h"
#include "mace/graph/attrs.h"
#include "mace/ops/common/operands.h"

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
  FixedFactor factor;            // of differences of values
  int32_t least_difference = 0;  // below it, the exponential is 0
  QuantizedRange range;

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
      int32_t quantized_value = range.least;
      if (difference >= least) {
        const int32_t share = MultiplyHigh(scale.fraction, Exp(difference));
        quantized_value += RoundingShift(share, shift);
      }
      y[k * inner] = static_cast<T>(range.Clamp(quantized_value));
    }
  }
};

template <typename T>
Result<KernelPtr> MakeSoftmaxQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const SoftmaxAttrs attrs,
                        ReadAttrs<SoftmaxAttrs>(node));
  const TensorType& y = node.outputs[0];
  auto kernel = std::make_unique<SoftmaxQ8<T>>();
  kernel->range = RangeOf(y.dtype);
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

// In fixed point, as TFLite's reference kernel. Errors: MACE_UNSUPPORTED for
// use_log, and for an output whose quantized values are not 1/256 apart,
// beginning with 0 at the smallest value.
Result<KernelPtr> PrepareSoftmaxQ8(const Node& node, CpuContext& context) {
  return node.inputs[0].type.dtype == DataType::kU8
             ? MakeSoftmaxQ8<uint8_t>(node, context)
             : MakeSoftmaxQ8<int8_t>(node, context);
}

// Several rows that are shorter than this are computed at a time. At least a
// vector of any CPU.
constexpr int64_t kShortRow = 16;
// Lines computed together: four vectors of AVX-512.
constexpr int64_t kColumnBlock = 64;
constexpr int64_t kTileElements = 2048;

struct SoftmaxF32 final : Kernel {
  ThreadPool* threads = nullptr;
  // Null: compute by the definition below.
  const SoftmaxRowF32* micro = nullptr;
  AxisLines lines;
  bool use_log = false;

  std::vector<Overlap> overlaps() const override { return {{0, 0}}; }
  std::string variant() const override {
    return micro == nullptr ? "scalar" : micro->name;
  }

  Status Run(const RunArgs& args) override {
    const float* x = args.inputs[0].as<const float>();
    float* y = args.outputs[0].as<float>();
    if (lines.n == 0) return Status();
    if (micro != nullptr && lines.inner > 1) {
      Columns(x, y);
      return Status();
    }
    const int64_t tile = std::max<int64_t>(1, kTileElements / lines.n);
    threads->ParallelFor(lines.count(), tile, [&](size_t begin, size_t end) {
      if (micro != nullptr) {
        const int64_t at = lines.Start(begin);
        Rows(x + at, static_cast<int64_t>(end - begin), y + at);
        return;
      }
      for (size_t line = begin; line < end; ++line) {
        const int64_t at = lines.Start(line);
        Line(x + at, y + at);
      }
    });
    return Status();
  }

  void Line(const float* x, float* y) const {
    const int64_t n = lines.n, inner = lines.inner;
    float max = -INFINITY;
    for (int64_t k = 0; k < n; ++k) max = std::max(max, x[k * inner]);
    float sum = 0;
    for (int64_t k = 0; k < n; ++k) {
      const float d = x[k * inner] - max;
      const float e = std::exp(d);
      y[k * inner] = use_log ? d : e;
      sum += e;
    }
    const float log_sum = std::log(sum);
    for (int64_t k = 0; k < n; ++k) {
      float& v = y[k * inner];
      v = use_log ? v - log_sum : v / sum;
    }
  }

  // Computes contiguous rows.
  void Rows(const float* x, int64_t rows, float* y) const {
    const int64_t n = lines.n;
    if (n < kShortRow && !use_log) return ShortRows(x, rows, y);
    for (int64_t r = 0; r < rows; ++r, x += n, y += n) {
      if (n < kShortRow) {
        Line(x, y);
      } else {
        micro->set->row({static_cast<size_t>(n), x, use_log, y});
      }
    }
  }

  // One call computes the exponentials of all rows, so that they fill vectors.
  void ShortRows(const float* x, int64_t rows, float* y) const {
    const int64_t n = lines.n;
    for (int64_t r = 0; r < rows; ++r) {
      float max = -INFINITY;
      for (int64_t k = 0; k < n; ++k) max = std::max(max, x[r * n + k]);
      for (int64_t k = 0; k < n; ++k) y[r * n + k] = x[r * n + k] - max;
    }
    micro->set->exp({static_cast<size_t>(rows * n), y, y});
    for (int64_t r = 0; r < rows; ++r) {
      float sum = 0;
      for (int64_t k = 0; k < n; ++k) sum += y[r * n + k];
      const float scale = 1 / sum;
      for (int64_t k = 0; k < n; ++k) y[r * n + k] *= scale;
    }
  }

  // Computes adjacent lines, a block of them at a time.
  void Columns(const float* x, float* y) const {
    const int64_t n = lines.n, inner = lines.inner;
    const int64_t blocks = CeilDiv(inner, kColumnBlock);
    const int64_t block = std::min(inner, kColumnBlock);
    const int64_t tile = std::max<int64_t>(1, kTileElements / (n * block));
    threads->ParallelFor(
        lines.outer * blocks, tile, [&](size_t begin, size_t end) {
          for (int64_t i = begin; i < static_cast<int64_t>(end); ++i) {
            const int64_t column = i % blocks * kColumnBlock;
            const int64_t at = i / blocks * n * inner + column;
            const int64_t columns = std::min(kColumnBlock, inner - column);
            micro->set->columns(
                {static_cast<size_t>(n), static_cast<size_t>(columns),
                 static_cast<ptrdiff_t>(inner), x + at, use_log, y + at});
          }
        });
  }
};

Result<KernelPtr> PrepareSoftmaxF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const SoftmaxAttrs attrs,
                        ReadAttrs<SoftmaxAttrs>(node));
  MACE_ASSIGN_OR_RETURN(
      const AxisLines lines,
      LinesAlong(node, attrs.axis, node.inputs[0].type.shape));
  auto kernel = std::make_unique<SoftmaxF32>();
  kernel->threads = context.threads;
  kernel->use_log = attrs.use_log;
  kernel->lines = lines;
  if (!context.reference) {
    kernel->micro = &ChooseRow(kSoftmaxF32, context.features);
  }
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs Softmax() {
  return WithQ16(
      WithQ8({{DataType::kF32, PrepareSoftmaxF32}}, PrepareSoftmaxQ8),
      PrepareSoftmaxQ16);
}

}  // namespace mace::cpu
