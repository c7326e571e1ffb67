// Reduce on the CPU, over any axes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/convert.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/common/reduce_geometry.h"
#include "mace/cpu/common/wrap.h"
#include "mace/cpu/ops/reduce_q8.h"
#include "mace/cpu/ukernels/pool/pool_table.h"

namespace mace::cpu {
namespace {

constexpr int64_t kReduceLanes = 64;  // output elements accumulated together

// The type of sums. Sums of floats are double, so that the mean of a large
// image is as exact as that of a small one.
template <typename T>
using ReduceSum =
    std::conditional_t<std::is_floating_point_v<T>, double, int64_t>;

// What becomes of `a`, the accumulated value, with one more element. Only
// AddExp reads a shift, that of value k.
template <typename A>
struct AddUp {
  static A Add(A a, A x, const A*, int64_t) { return Wrap<A>::Add(a, x); }
};
template <typename A>
struct AddAbs {
  static A Add(A a, A x, const A*, int64_t) {
    return Wrap<A>::Add(a, x < 0 ? Wrap<A>::Sub(0, x) : x);
  }
};
template <typename A>
struct AddSquare {
  static A Add(A a, A x, const A*, int64_t) {
    return Wrap<A>::Add(a, Wrap<A>::Mul(x, x));
  }
};
template <typename A>
struct Multiply {
  static A Add(A a, A x, const A*, int64_t) { return Wrap<A>::Mul(a, x); }
};
template <typename A>
struct AddExp {
  static A Add(A a, A x, const A* shift, int64_t k) {
    return a + std::exp(x - shift[k]);
  }
};
// A NaN wins over any number.
template <typename A>
struct ReduceLargest {
  static A Add(A a, A x, const A*, int64_t) { return x > a || x != x ? x : a; }
};
template <typename A>
struct Smallest {
  static A Add(A a, A x, const A*, int64_t) { return x < a || x != x ? x : a; }
};

// Adds n elements to as many accumulated values or, `to_one`, all to the first.
template <typename A>
using StepFn = void(const void* x, int64_t n, bool to_one, const A* shift,
                    A* acc);

template <typename T, typename Op, typename A>
void Step(const void* from, int64_t n, bool to_one, const A* shift, A* acc) {
  const T* const x = static_cast<const T*>(from);
  if (to_one) {
    A a = *acc;
    for (int64_t k = 0; k < n; ++k) {
      a = Op::Add(a, static_cast<A>(x[k]), shift, 0);
    }
    *acc = a;
  } else {
    for (int64_t k = 0; k < n; ++k) {
      acc[k] = Op::Add(acc[k], static_cast<A>(x[k]), shift, k);
    }
  }
}

template <typename A>
struct Accumulation {
  A init;
  StepFn<A>* step;
};

template <typename A>
constexpr A kLowest =
    std::numeric_limits<A>::has_infinity ? -std::numeric_limits<A>::infinity()
                                         : std::numeric_limits<A>::lowest();
template <typename A>
constexpr A kHighest =
    std::numeric_limits<A>::has_infinity ? std::numeric_limits<A>::infinity()
                                         : std::numeric_limits<A>::max();

// T is the type of the elements, which the result without elements fits, too.
template <typename T, typename A>
Accumulation<A> LargestOf() {
  return {static_cast<A>(kLowest<T>), Step<T, ReduceLargest<A>, A>};
}
template <typename T, typename A>
Accumulation<A> SmallestOf() {
  return {static_cast<A>(kHighest<T>), Step<T, Smallest<A>, A>};
}

template <typename T, typename A>
Accumulation<A> SumOf(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::kProd:
      return {1, Step<T, Multiply<A>, A>};
    case ReduceKind::kL1:
      return {0, Step<T, AddAbs<A>, A>};
    case ReduceKind::kL2:
    case ReduceKind::kSumSquare:
      return {0, Step<T, AddSquare<A>, A>};
    default:
      return {0, Step<T, AddUp<A>, A>};
  }
}

// Accumulates the rows of the group that begins at x: columns
// [first, first + lanes) in acc[0..lanes), or all columns in *acc.
template <typename A>
void Accumulate(const ReduceGeometry& g, const char* x, int64_t element_bytes,
                const Accumulation<A>& op, int64_t lanes, const A* shift,
                A* acc) {
  std::fill_n(acc, lanes, op.init);
  const int64_t width = g.keeps_row ? lanes : g.width;
  for (int64_t r = 0; r < g.num_gone; ++r) {
    op.step(x + OffsetOf(g.gone, r) * element_bytes, width, !g.keeps_row, shift,
            acc);
  }
}

template <typename T>
T Narrowed(double v) {
  if constexpr (std::is_integral_v<T>) {
    return ToInteger<T>(v);
  } else {
    return static_cast<T>(v);
  }
}

// Computes the result from the accumulated value.
template <typename T>
T Finish(ReduceKind kind, double v, int64_t n) {
  if (kind == ReduceKind::kMean) v /= static_cast<double>(n);
  if (kind == ReduceKind::kL2) v = std::sqrt(v);
  if (kind == ReduceKind::kLogSum) v = std::log(v);
  return Narrowed<T>(v);
}
template <typename T>
T Finish(ReduceKind kind, int64_t v, int64_t n) {
  if (kind == ReduceKind::kL2 || kind == ReduceKind::kLogSum) {
    return Finish<T>(kind, static_cast<double>(v), n);
  }
  if (kind == ReduceKind::kMean) v = n == 0 ? 0 : v / n;
  return static_cast<T>(v);
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

struct ReduceKernel : Kernel {
  ThreadPool* threads = nullptr;
  ReduceKind kind = ReduceKind::kMean;
  int64_t element_bytes = 4;
  ReduceGeometry g;
  PoolF32Fn* pool = nullptr;  // for f32, if one computes this

  std::string variant() const final {
    return pool != nullptr ? "pool_f32" : "scalar";
  }

  Status Run(const RunArgs& args) final {
    const char* x = args.inputs[0].as<const char>();
    char* y = args.outputs[0].as<char>();
    // A task is up to kReduceLanes outputs of a group of rows.
    const int64_t columns = g.keeps_row ? g.width : 1;
    const int64_t chunks = (columns + kReduceLanes - 1) / kReduceLanes;
    const int64_t lanes = std::min(kReduceLanes, columns);
    const int64_t work = std::max<int64_t>(1, g.num_reduced() * lanes);
    threads->ParallelFor(
        g.num_kept * chunks, std::max<int64_t>(1, 16384 / work),
        [&](size_t begin, size_t end) {
          for (int64_t u = begin; u < static_cast<int64_t>(end); ++u) {
            const int64_t group = u / chunks, first = u % chunks * kReduceLanes;
            Unit(x + (OffsetOf(g.kept, group) + first) * element_bytes,
                 std::min(kReduceLanes, columns - first),
                 y + (group * columns + first) * element_bytes);
          }
        });
    return Status();
  }

  virtual void Unit(const char* x, int64_t lanes, char* y) const = 0;
};

template <typename T>
struct ReduceOf final : ReduceKernel {
  void Unit(const char* x, int64_t lanes, char* y) const override {
    T* const to = reinterpret_cast<T*>(y);
    if constexpr (std::is_same_v<T, float>) {
      if (pool != nullptr) {
        return Pool(reinterpret_cast<const float*>(x), lanes, to);
      }
    }
    // Of the largest and smallest.
    using Same = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
    switch (kind) {
      case ReduceKind::kMin:
      case ReduceKind::kAll:
        return Reduce(SmallestOf<T, Same>(), x, lanes, to);
      case ReduceKind::kMax:
      case ReduceKind::kAny:
        return Reduce(LargestOf<T, Same>(), x, lanes, to);
      case ReduceKind::kLogSumExp:
        return LogSumExp(x, lanes, to);
      default:
        return Reduce(SumOf<T, ReduceSum<T>>(kind), x, lanes, to);
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

  template <typename A>
  void Reduce(const Accumulation<A>& op, const char* x, int64_t lanes,
              T* y) const {
    A acc[kReduceLanes];
    Accumulate<A>(g, x, sizeof(T), op, lanes, nullptr, acc);
    for (int64_t k = 0; k < lanes; ++k) {
      if constexpr (std::is_same_v<A, ReduceSum<T>>) {
        y[k] = Finish<T>(kind, acc[k], g.num_reduced());
      } else {
        y[k] = acc[k];
      }
    }
  }

  // Subtracts the largest element first, so that no exponential overflows.
  void LogSumExp(const char* x, int64_t lanes, T* y) const {
    double shift[kReduceLanes] = {}, sum[kReduceLanes];
    const auto accumulate = [&](const Accumulation<double>& op, double* acc) {
      Accumulate(g, x, sizeof(T), op, lanes, shift, acc);
    };
    accumulate(LargestOf<T, double>(), sum);
    for (int64_t k = 0; k < lanes; ++k) {
      shift[k] = std::isfinite(sum[k]) ? sum[k] : 0;
    }
    accumulate({0, Step<T, AddExp<double>, double>}, sum);
    for (int64_t k = 0; k < lanes; ++k) {
      y[k] = Narrowed<T>(shift[k] + std::log(sum[k]));
    }
  }
};

std::unique_ptr<ReduceKernel> MakeReduce(DataType dtype) {
  if (dtype == DataType::kF32) return std::make_unique<ReduceOf<float>>();
  if (dtype == DataType::kI32) return std::make_unique<ReduceOf<int32_t>>();
  return std::make_unique<ReduceOf<int64_t>>();
}

Result<KernelPtr> PrepareReduce(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ReduceAttrs attrs, ReadAttrs<ReduceAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const std::vector<int> axes, ReduceAxesOf(node, attrs));
  const DataType dtype = node.inputs[0].type.dtype;
  auto kernel = MakeReduce(dtype);
  kernel->element_bytes = static_cast<int64_t>(SizeOf(dtype));
  kernel->threads = context.threads;
  MACE_ASSIGN_OR_RETURN(kernel->kind, ReduceKindOf(node, attrs));
  kernel->g = ReduceGeometryOf(node.inputs[0].type.shape, axes);
  if (dtype == DataType::kF32 && !context.reference) {
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
  return WithQ8({{DataType::kF32, PrepareReduce},
                 {DataType::kI32, PrepareReduce},
                 {DataType::kI64, PrepareReduce},
                 {DataType::kBool, PrepareBool}},
                PrepareReduceQ8);
}

}  // namespace mace::cpu
