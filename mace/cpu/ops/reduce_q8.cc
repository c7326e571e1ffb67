// Sums of quantized values, scaled once at the end.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ops/reduce_q8.h"

#include <algorithm>

#include "mace/cpu/common/reduce_geometry.h"
#include "mace/cpu/quantized/quantization.h"
#include "mace/graph/attrs.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/reduce.h"

namespace mace::cpu {
namespace {

constexpr int64_t kReduceQ8Lanes = 64;  // outputs computed together
constexpr int64_t kReduceQ8Rows = 128;  // sums of so many values fit in 16 bits
constexpr int64_t kReduceQ8Tile = 1 << 14;

template <typename T>
struct ReduceQ8 final : Kernel {
  ThreadPool* threads = nullptr;
  ReduceGeometry g;
  bool adds = true;    // else it picks
  bool is_max = true;  // if it picks
  // Of sums.
  FixedFactor factor;
  int32_t x_zero = 0, y_zero = 0;
  QuantizedRange range;

  std::string variant() const override { return "reduce_q8"; }

  Status Run(const RunArgs& args) override {
    const T* x = args.inputs[0].as<const T>();
    T* y = args.outputs[0].as<T>();
    const int64_t columns = g.keeps_row ? g.width : 1;
    const int64_t chunks = (columns + kReduceQ8Lanes - 1) / kReduceQ8Lanes;
    const int64_t work = std::max<int64_t>(
        1, g.num_reduced() * std::min(kReduceQ8Lanes, columns));
    threads->ParallelFor(
        g.num_kept * chunks, std::max<int64_t>(1, kReduceQ8Tile / work),
        [&](size_t begin, size_t end) {
          for (int64_t u = begin; u < static_cast<int64_t>(end); ++u) {
            const int64_t group = u / chunks,
                          first = u % chunks * kReduceQ8Lanes;
            Outputs(x + OffsetOf(g.kept, group) + first,
                    std::min(kReduceQ8Lanes, columns - first),
                    y + group * columns + first);
          }
        });
    return Status();
  }

  void Outputs(const T* x, int64_t n, T* y) const {
    uint32_t found[kReduceQ8Lanes] = {};
    for (int64_t k = 0; !adds && k < n; ++k) found[k] = Bits(x[k]);
    if (!g.keeps_row) {
      for (int64_t r = 0; r < g.num_gone; ++r) {
        found[0] = OfRow(x + OffsetOf(g.gone, r), found[0]);
      }
    } else if (adds) {
      for (int64_t r = 0; r < g.num_gone; r += kReduceQ8Rows) {
        const int64_t end = std::min(r + kReduceQ8Rows, g.num_gone);
        if (n == kReduceQ8Lanes) {
          AddRows(x, r, end, kReduceQ8Lanes, found);
        } else {
          AddRows(x, r, end, n, found);
        }
      }
    } else {
      for (int64_t r = 0; r < g.num_gone; ++r) {
        const T* row = x + OffsetOf(g.gone, r);
        for (int64_t k = 0; k < n; ++k) found[k] = Better(found[k], row[k]);
      }
    }
    for (int64_t k = 0; k < n; ++k) y[k] = ValueOf(found[k]);
  }

  // Adds the first n values of rows [first, end), at most kReduceQ8Rows.
  // Inlined, so that all kReduceQ8Lanes are a number that the compiler knows.
  __attribute__((always_inline)) void AddRows(const T* x, int64_t first,
                                              int64_t end, int64_t n,
                                              uint32_t* found) const {
    int16_t sums[kReduceQ8Lanes] = {};
    for (int64_t r = first; r < end; ++r) {
      const T* row = x + OffsetOf(g.gone, r);
      for (int64_t k = 0; k < n; ++k) {
        sums[k] = static_cast<int16_t>(sums[k] + row[k]);
      }
    }
    for (int64_t k = 0; k < n; ++k) found[k] += Bits(sums[k]);
  }

  uint32_t OfRow(const T* row, uint32_t found) const {
    for (int64_t k = 0; k < g.width; ++k) {
      found = adds ? found + Bits(row[k]) : Better(found, row[k]);
    }
    return found;
  }

  // Sums are computed modulo 2^32.
  static uint32_t Bits(int32_t x) { return static_cast<uint32_t>(x); }

  uint32_t Better(uint32_t a, int32_t b) const {
    const auto value = static_cast<int32_t>(a);
    return Bits(is_max ? std::max(value, b) : std::min(value, b));
  }

  T ValueOf(uint32_t found) const {
    if (!adds) return static_cast<T>(found);
    const uint32_t zeros =
        Bits(x_zero) * static_cast<uint32_t>(g.num_reduced());
    const auto sum = static_cast<int32_t>(found - zeros);
    return static_cast<T>(range.Clamp(Scale(sum, factor) + y_zero));
  }
};

// Returns the factor divided by n: with as many bits more as n has, and then
// towards zero.
FixedFactor DividedBy(FixedFactor factor, int64_t n) {
  const int bits = 63 - __builtin_clzll(static_cast<uint64_t>(n));
  const int more = std::min({bits, 32, 31 + factor.exponent});
  return {static_cast<int32_t>(factor.mantissa * (int64_t{1} << more) / n),
          factor.exponent - more};
}

template <typename T>
Result<KernelPtr> MakeReduceQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ReduceAttrs attrs, ReadAttrs<ReduceAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ReduceKind kind, ReduceKindOf(node, attrs));
  MACE_ASSIGN_OR_RETURN(const std::vector<int> axes, ReduceAxesOf(node, attrs));
  const TensorType &x = node.inputs[0].type, &y = node.outputs[0];
  auto kernel = std::make_unique<ReduceQ8<T>>();
  kernel->threads = context.threads;
  kernel->g = ReduceGeometryOf(x.shape, axes);
  kernel->adds = kind == ReduceKind::kMean || kind == ReduceKind::kSum;
  kernel->is_max = kind == ReduceKind::kMax;
  const bool picks = kind == ReduceKind::kMax || kind == ReduceKind::kMin;
  const bool is_empty = kernel->g.num_reduced() == 0;
  if (is_empty || (!kernel->adds && !picks) ||
      (picks && !AreEqual(x.quantization, y.quantization))) {
    return Unsupported(
        Label(node), ": of quantized tensors with elements the CPU computes ",
        "MEAN and SUM, and MAX and MIN if x and y are quantized alike; it is ",
        attrs.reduce_type, " of ", ToString(x), " to ", ToString(y));
  }
  kernel->x_zero = x.quantization->zero_point();
  kernel->y_zero = y.quantization->zero_point();
  kernel->range = RangeOf(y.dtype);
  kernel->factor =
      ToFixed(double{x.quantization->scale()} / y.quantization->scale());
  if (kind == ReduceKind::kMean) {
    kernel->factor = DividedBy(kernel->factor, kernel->g.num_reduced());
  }
  return KernelPtr(std::move(kernel));
}

}  // namespace

Result<KernelPtr> PrepareReduceQ8(const Node& node, CpuContext& context) {
  return node.inputs[0].type.dtype == DataType::kU8
             ? MakeReduceQ8<uint8_t>(node, context)
             : MakeReduceQ8<int8_t>(node, context);
}

}  // namespace mace::cpu
