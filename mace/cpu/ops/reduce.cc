// Reduce on the CPU, over any axes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/common/reduce_geometry.h"
#include "mace/cpu/common/wrap.h"
#include "mace/cpu/quantized/reduce_q8.h"
#include "mace/cpu/ukernels/pool/pool_f32_table.h"

namespace mace::cpu {
namespace {

constexpr int64_t kLanes = 64;  // output elements accumulated together

// The type of sums. Sums of floats are double, so that the mean of a large
// image is as exact as that of a small one.
template <typename T>
using Sum = std::conditional_t<std::is_floating_point_v<T>, double, int64_t>;

template <typename T>
struct AddUp {
  using Acc = Sum<T>;
  static constexpr Acc kInit = 0;
  static Acc Add(Acc a, T x, Acc) { return Wrap<Acc>::Add(a, x); }
};
template <typename T>
struct AddAbs {
  using Acc = Sum<T>;
  static constexpr Acc kInit = 0;
  static Acc Add(Acc a, T x, Acc) {
    const Acc v = x;
    return Wrap<Acc>::Add(a, v < 0 ? Wrap<Acc>::Sub(0, v) : v);
  }
};
template <typename T>
struct AddSquare {
  using Acc = Sum<T>;
  static constexpr Acc kInit = 0;
  static Acc Add(Acc a, T x, Acc) {
    return Wrap<Acc>::Add(a, Wrap<Acc>::Mul(x, x));
  }
};
template <typename T>
struct Multiply {
  using Acc = Sum<T>;
  static constexpr Acc kInit = 1;
  static Acc Add(Acc a, T x, Acc) { return Wrap<Acc>::Mul(a, x); }
};
template <typename T>
struct AddExp {
  using Acc = double;
  static constexpr Acc kInit = 0;
  static Acc Add(Acc a, T x, Acc shift) {
    return a + std::exp(static_cast<double>(x) - shift);
  }
};
template <typename T>
struct Largest {
  using Acc = T;
  static constexpr Acc kInit = std::numeric_limits<T>::has_infinity
                                   ? -std::numeric_limits<T>::infinity()
                                   : std::numeric_limits<T>::lowest();
  static Acc Add(Acc a, T x, Acc) { return x > a ? x : a; }
};
template <typename T>
struct Smallest {
  using Acc = T;
  static constexpr Acc kInit = std::numeric_limits<T>::has_infinity
                                   ? std::numeric_limits<T>::infinity()
                                   : std::numeric_limits<T>::max();
  static Acc Add(Acc a, T x, Acc) { return x < a ? x : a; }
};

// Accumulates columns [first, first + lanes) over all rows of group `base` in
// acc[0..lanes).
template <typename Op, typename T>
void AccumulateColumns(const ReduceGeometry& g, const T* base, int64_t lanes,
                       const typename Op::Acc* shift, typename Op::Acc* acc) {
  std::fill_n(acc, lanes, Op::kInit);
  for (int64_t r = 0; r < g.num_gone; ++r) {
    const T* row = base + OffsetOf(g.gone, r);
    for (int64_t k = 0; k < lanes; ++k)
      acc[k] = Op::Add(acc[k], row[k], shift[k]);
  }
}

// Reduces all rows of group `base` to one element.
template <typename Op, typename T>
typename Op::Acc AccumulateRows(const ReduceGeometry& g, const T* base,
                                typename Op::Acc shift) {
  auto acc = Op::kInit;
  for (int64_t r = 0; r < g.num_gone; ++r) {
    const T* row = base + OffsetOf(g.gone, r);
    for (int64_t k = 0; k < g.width; ++k) acc = Op::Add(acc, row[k], shift);
  }
  return acc;
}

template <typename Op, typename T>
void Accumulate(const ReduceGeometry& g, const T* base, int64_t lanes,
                const typename Op::Acc* shift, typename Op::Acc* acc) {
  if (g.keeps_row) {
    AccumulateColumns<Op>(g, base, lanes, shift, acc);
  } else {
    *acc = AccumulateRows<Op>(g, base, *shift);
  }
}

// Computes the result from the accumulated value.
double Finish(ReduceKind kind, double v, int64_t n) {
  switch (kind) {
    case ReduceKind::kMean:
      return v / static_cast<double>(n);
    case ReduceKind::kL2:
      return std::sqrt(v);
    case ReduceKind::kLogSum:
      return std::log(v);
    default:
      return v;
  }
}
int64_t Finish(ReduceKind kind, int64_t v, int64_t n) {
  if (kind == ReduceKind::kMean) return n == 0 ? 0 : v / n;
  if (kind == ReduceKind::kL2 || kind == ReduceKind::kLogSum) {
    return static_cast<int64_t>(Finish(kind, static_cast<double>(v), n));
  }
  return v;
}

// Sums and means over whole pixels, which the pooling micro-kernels compute.
PoolF32Fn* FindPool(const ReduceGeometry& g, ReduceKind kind,
                    CpuFeatures features) {
  const bool adds = kind == ReduceKind::kMean || kind == ReduceKind::kSum;
  if (!adds || !g.keeps_row || g.gone.size() != 1 || g.num_gone == 0) {
    return nullptr;
  }
  return ChooseRow(kPoolF32, features).mean;
}

// Returns how many terms are added before the partial sum joins the others: a
// divisor of n near its square root, which keeps rounding errors small.
int64_t TermsAtOnce(int64_t n) {
  int64_t terms = 1;
  for (int64_t i = 2; i * i <= n; ++i) {
    if (n % i == 0) terms = i;
  }
  return terms;
}

template <typename T>
struct ReduceKernel final : Kernel {
  ThreadPool* threads = nullptr;
  ReduceKind kind = ReduceKind::kMean;
  ReduceGeometry g;
  PoolF32Fn* pool = nullptr;  // for f32, if one computes this

  std::string variant() const override {
    return pool != nullptr ? "pool_f32" : "scalar";
  }

  Status Run(const RunArgs& args) override {
    const T* x = args.inputs[0].as<const T>();
    T* y = args.outputs[0].as<T>();
    // A task is up to kLanes outputs of a group of rows.
    const int64_t columns = g.keeps_row ? g.width : 1;
    const int64_t chunks = (columns + kLanes - 1) / kLanes;
    const int64_t lanes = std::min(kLanes, columns);
    const int64_t work = std::max<int64_t>(1, g.num_reduced() * lanes);
    threads->ParallelFor(
        g.num_kept * chunks, std::max<int64_t>(1, 16384 / work),
        [&](size_t begin, size_t end) {
          for (int64_t u = begin; u < static_cast<int64_t>(end); ++u) {
            const int64_t group = u / chunks, first = u % chunks * kLanes;
            Unit(x + OffsetOf(g.kept, group) + first,
                 std::min(kLanes, columns - first),
                 y + group * columns + first);
          }
        });
    return Status();
  }

  void Unit(const T* x, int64_t lanes, T* y) const {
    if constexpr (std::is_same_v<T, float>) {
      if (pool != nullptr) return Pool(x, lanes, y);
    }
    switch (kind) {
      case ReduceKind::kMin:
      case ReduceKind::kAll:
        return Reduce<Smallest<T>>(x, lanes, y);
      case ReduceKind::kMax:
      case ReduceKind::kAny:
        return Reduce<Largest<T>>(x, lanes, y);
      case ReduceKind::kProd:
        return Reduce<Multiply<T>>(x, lanes, y);
      case ReduceKind::kL1:
        return Reduce<AddAbs<T>>(x, lanes, y);
      case ReduceKind::kL2:
      case ReduceKind::kSumSquare:
        return Reduce<AddSquare<T>>(x, lanes, y);
      case ReduceKind::kLogSumExp:
        return LogSumExp(x, lanes, y);
      default:
        return Reduce<AddUp<T>>(x, lanes, y);
    }
  }

  void Pool(const float* x, int64_t lanes, float* y) const {
    const int64_t n = g.num_gone, terms = TermsAtOnce(n);
    const auto stride = static_cast<ptrdiff_t>(g.gone[0].stride);
    pool({static_cast<size_t>(lanes), static_cast<size_t>(n / terms),
          static_cast<size_t>(terms), x, static_cast<ptrdiff_t>(terms) * stride,
          stride, y,
          kind == ReduceKind::kMean ? 1.f / static_cast<float>(n) : 1.f,
          -INFINITY, INFINITY});
  }

  template <typename Op>
  void Reduce(const T* x, int64_t lanes, T* y) const {
    const typename Op::Acc no_shift[kLanes] = {};
    typename Op::Acc acc[kLanes];
    Accumulate<Op>(g, x, lanes, no_shift, acc);
    for (int64_t k = 0; k < lanes; ++k) {
      if constexpr (std::is_same_v<typename Op::Acc, Sum<T>>) {
        y[k] = static_cast<T>(Finish(kind, acc[k], g.num_reduced()));
      } else {
        y[k] = acc[k];
      }
    }
  }

  // Subtracts the largest element first, so that no exponential overflows.
  void LogSumExp(const T* x, int64_t lanes, T* y) const {
    const T no_shift[kLanes] = {};
    T max[kLanes];
    Accumulate<Largest<T>>(g, x, lanes, no_shift, max);
    double shift[kLanes] = {}, sum[kLanes];
    for (int64_t k = 0; k < lanes; ++k) {
      const double m = static_cast<double>(max[k]);
      shift[k] = std::isfinite(m) ? m : 0;
    }
    Accumulate<AddExp<T>>(g, x, lanes, shift, sum);
    for (int64_t k = 0; k < lanes; ++k) {
      y[k] = static_cast<T>(shift[k] + std::log(sum[k]));
    }
  }
};

template <typename T>
Result<KernelPtr> Prepare(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ReduceAttrs attrs, ReadAttrs<ReduceAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const std::vector<int> axes, ReduceAxesOf(node, attrs));
  auto kernel = std::make_unique<ReduceKernel<T>>();
  kernel->threads = context.threads;
  MACE_ASSIGN_OR_RETURN(kernel->kind, ReduceKindOf(node, attrs));
  kernel->g = ReduceGeometryOf(node.inputs[0].type.shape, axes);
  if (std::is_same_v<T, float> && !context.reference) {
    kernel->pool = FindPool(kernel->g, kernel->kind, context.features);
  }
  return KernelPtr(std::move(kernel));
}

// A bool is one byte, 0 or 1: ALL is the minimum and ANY the maximum.
struct BoolKernel final : Kernel {
  ThreadPool* threads = nullptr;
  bool all = true;
  ReduceGeometry g;

  Status Run(const RunArgs& args) override {
    const uint8_t* x = args.inputs[0].as<const uint8_t>();
    uint8_t* y = args.outputs[0].as<uint8_t>();
    const int64_t columns = g.keeps_row ? g.width : 1;
    threads->ParallelFor(
        g.num_kept * columns, 1024, [&](size_t begin, size_t end) {
          for (int64_t u = begin; u < static_cast<int64_t>(end); ++u) {
            const uint8_t* base = x + OffsetOf(g.kept, u / columns);
            y[u] = One(base + u % columns);
          }
        });
    return Status();
  }

  uint8_t One(const uint8_t* x) const {
    const int64_t run = g.keeps_row ? 1 : g.width;
    for (int64_t r = 0; r < g.num_gone; ++r) {
      const uint8_t* row = x + OffsetOf(g.gone, r);
      for (int64_t k = 0; k < run; ++k) {
        if ((row[k] != 0) != all) return all ? 0 : 1;
      }
    }
    return all ? 1 : 0;
  }
};

Result<KernelPtr> PrepareBool(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ReduceAttrs attrs, ReadAttrs<ReduceAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const std::vector<int> axes, ReduceAxesOf(node, attrs));
  MACE_ASSIGN_OR_RETURN(const ReduceKind kind, ReduceKindOf(node, attrs));
  auto kernel = std::make_unique<BoolKernel>();
  kernel->threads = context.threads;
  kernel->all = kind == ReduceKind::kAll;
  kernel->g = ReduceGeometryOf(node.inputs[0].type.shape, axes);
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs Reduce() {
  return WithQ8({{DataType::kF32, Prepare<float>},
                 {DataType::kI32, Prepare<int32_t>},
                 {DataType::kI64, Prepare<int64_t>},
                 {DataType::kBool, PrepareBool}},
                PrepareReduceQ8);
}

}  // namespace mace::cpu
