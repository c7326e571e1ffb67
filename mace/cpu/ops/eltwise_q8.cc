// Operators on two quantized values. Each value is first replaced by a term of
// its operand, from a table of 256; terms then become a value, or the answer of
// a comparison.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ops/eltwise_q8.h"

#include <algorithm>
#include <array>
#include <memory>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/common/broadcast_loop.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/ops/add_q8.h"
#include "mace/cpu/quantized/fixed_exp.h"
#include "mace/cpu/quantized/quantization.h"
#include "mace/cpu/ukernels/requantize_q8/requantize_q8_table.h"
#include "mace/graph/attrs.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/compare.h"
#include "mace/ops/eltwise.h"

namespace mace::cpu {
namespace {

constexpr int64_t kEltwiseQ8Tile = 8192;  // elements of a task
constexpr int64_t kJoined = 1024;  // the most elements of rows that are joined
// Operands of sums are scaled to a common unit with so many bits more.
constexpr int kEltwiseQ8SumBits = 20;
constexpr int kEltwiseQ8DifferenceBits = 7;  // the same of squared differences
constexpr int kCompareBits = 8;

struct Terms {
  int32_t of_value[256];  // by the bits of the value

  int32_t operator[](uint8_t quantized_value) const {
    return of_value[quantized_value];
  }
};

// Products in vectors: differences of 16 bits are multiplied, and a
// micro-kernel makes quantized values of the products.
struct Products {
  uint8_t flip_x, flip_w;  // xor-ed with values, which are unsigned then
  int16_t zero_x, zero_w;
  RequantizeQ8Fn* fn;
  int32_t mantissa[kRequantizeQ8Columns], left[kRequantizeQ8Columns],
      right[kRequantizeQ8Columns];

  int32_t Of(uint8_t x, uint8_t w) const {
    const auto p = static_cast<int16_t>((x ^ flip_x) - zero_x);
    const auto q = static_cast<int16_t>((w ^ flip_w) - zero_w);
    return int32_t{p} * q;
  }
};

// From a term of each operand to a value of y.
struct Arithmetic {
  Products products;             // of `VectorProduct`
  FixedFactor y, y_of_positive;  // y_of_positive: of PRelu
  int32_t y_zero = 0;
  QuantizedRange range;

  uint8_t QuantizedValue(int32_t x) const {
    return static_cast<uint8_t>(range.Clamp(x + y_zero));
  }
};

using Row = void (*)(const Arithmetic& f, const Terms& a, const Terms& b,
                     const uint8_t* x, int64_t x_step, const uint8_t* w,
                     int64_t w_step, int64_t n, uint8_t* y);

template <typename F>
void EachOf(const Terms& a, const Terms& b, const uint8_t* x, int64_t x_step,
            const uint8_t* w, int64_t w_step, int64_t n, uint8_t* y,
            const F& f) {
  for (int64_t i = 0; i < n; ++i) {
    y[i] = f(a[x[i * x_step]], b[w[i * w_step]]);
  }
}

#define MACE_ROW(NAME, ...)                                              \
  void NAME(const Arithmetic& f, const Terms& a, const Terms& b,         \
            const uint8_t* x, int64_t x_step, const uint8_t* w,          \
            int64_t w_step, int64_t n, uint8_t* y) {                     \
    EachOf(a, b, x, x_step, w, w_step, n, y,                             \
           [&f]([[maybe_unused]] int32_t p,                              \
                [[maybe_unused]] int32_t q) -> uint8_t { __VA_ARGS__ }); \
  }

// Returns p / q. The reciprocal of q has a scale of 2^-bits.
int32_t Quotient(const Arithmetic& f, int32_t p, int32_t q) {
  if (p == 0 || q == 0) return 0;
  if (q < 0) {
    p = -p;
    q = -q;
  }
  const FixedReciprocal reciprocal = Reciprocal(q, 31);
  const auto magnitude = static_cast<uint32_t>(p < 0 ? -(p + 1) : p);
  const int headroom = magnitude == 0 ? 31 : __builtin_clz(magnitude) - 1;
  const int32_t share = Scale(p, {reciprocal.fraction, headroom});
  FixedFactor factor = f.y;
  factor.exponent -= reciprocal.bits_over_unit + headroom;
  return factor.exponent < -31 ? 0 : Scale(share, factor);
}

// Modulo 2^32.
int32_t Square(int32_t x) {
  const auto bits = static_cast<uint32_t>(x);
  return static_cast<int32_t>(bits * bits);
}

MACE_ROW(Sum, return f.QuantizedValue(Scale(p + q, f.y));)
MACE_ROW(Difference, return f.QuantizedValue(Scale(p - q, f.y));)
MACE_ROW(Product, return f.QuantizedValue(Scale(p * q, f.y));)
MACE_ROW(Division, return f.QuantizedValue(Quotient(f, p, q));)
MACE_ROW(SquaredDifference, return f.QuantizedValue(Scale(Square(p - q), f.y));)
MACE_ROW(Minimum, return f.QuantizedValue(std::min(p, q));)
MACE_ROW(Maximum, return f.QuantizedValue(std::max(p, q));)
MACE_ROW(PRelu, return f.QuantizedValue(p >= 0 ? Scale(p, f.y_of_positive)
                                               : Scale(p * q, f.y));)
MACE_ROW(Equal, return p == q ? 1 : 0;)
MACE_ROW(NotEqual, return p != q ? 1 : 0;)
MACE_ROW(Less, return p < q ? 1 : 0;)
MACE_ROW(LessEqual, return p <= q ? 1 : 0;)
MACE_ROW(Greater, return p > q ? 1 : 0;)
MACE_ROW(GreaterEqual, return p >= q ? 1 : 0;)
#undef MACE_ROW

constexpr Row kComparisons[] = {  // in the order of CompareType
    Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual};

// As `Product`, with another way to the same quantized values.
void VectorProduct(const Arithmetic& f, const Terms&, const Terms&,
                   const uint8_t* x, int64_t x_step, const uint8_t* w,
                   int64_t w_step, int64_t n, uint8_t* y) {
  constexpr int64_t kColumns = kRequantizeQ8Columns,
                    kProductBlock = 16 * kColumns;
  alignas(kAlignment) int32_t products[kProductBlock];
  const Products& p = f.products;
  for (int64_t begin = 0; begin < n; begin += kProductBlock) {
    const int64_t count = std::min(kProductBlock, n - begin);
    const uint8_t *a = x + begin * x_step, *b = w + begin * w_step;
    if (x_step == 1 && w_step == 1) {
      for (int64_t i = 0; i < count; ++i) products[i] = p.Of(a[i], b[i]);
    } else {
      for (int64_t i = 0; i < count; ++i) {
        products[i] = p.Of(a[i * x_step], b[i * w_step]);
      }
    }
    const auto requantize = [&](int64_t at, int64_t rows, int64_t columns) {
      if (rows == 0 || columns == 0) return;
      p.fn({static_cast<size_t>(rows), static_cast<size_t>(columns),
            products + at, kRequantizeQ8Columns, nullptr, p.mantissa, p.left,
            p.right, f.y_zero, f.range.least, f.range.most, y + begin + at,
            kColumns});
    };
    const int64_t whole = count / kColumns;
    requantize(0, whole, kColumns);
    requantize(whole * kColumns, 1, count % kColumns);
  }
}

// Returns the operand that has the same row of few values for all rows of the
// last dimension but one, while those of the other operand follow each other,
// as of a picture and one factor for each channel; or -1.
int RepeatedOperand(const BroadcastPlan& plan) {
  const size_t rank = plan.extents.size();
  if (rank < 2 || 2 * plan.extents[rank - 1] > kJoined) return -1;
  const auto has_strides = [&](int i, int64_t outer) {
    return plan.strides[i][rank - 2] == outer && plan.strides[i][rank - 1] == 1;
  };
  for (int i : {0, 1}) {
    if (has_strides(i, 0) && has_strides(1 - i, plan.extents[rank - 1])) {
      return i;
    }
  }
  return -1;
}

struct EltwiseQ8 final : Kernel {
  ThreadPool* threads = nullptr;
  BroadcastPlan plan;
  Arithmetic f;
  Terms a, b;
  Row row = nullptr;
  int repeated = -1;  // RepeatedOperand
  std::vector<Overlap> in_place;

  std::string variant() const override { return "eltwise_q8"; }
  std::vector<Overlap> overlaps() const override { return in_place; }

  Status Run(const RunArgs& args) override {
    const auto* x = args.inputs[0].as<const uint8_t>();
    const auto* w = args.inputs[1].as<const uint8_t>();
    auto* y = args.outputs[0].as<uint8_t>();
    const int64_t n = plan.extents.back();
    const int64_t tile = std::max<int64_t>(kEltwiseQ8Tile / n, 1);
    threads->ParallelFor(NumRows(plan), tile, [&](size_t begin, size_t end) {
      if (repeated >= 0) return JoinRows(begin, end, {x, w}, y);
      ForEachRow<2>(plan, begin, end, [&](int64_t r, const auto& at) {
        row(f, a, b, x + at[0], plan.strides[0].back(), w + at[1],
            plan.strides[1].back(), n, y + r * n);
      });
    });
    return Status();
  }

  // Computes rows [begin, end) several at a time, with copies of the row that
  // is the same for all of them.
  void JoinRows(int64_t begin, int64_t end,
                const std::array<const uint8_t*, 2>& operands,
                uint8_t* y) const {
    const int64_t n = plan.extents.back(), most = kJoined / n;
    const int64_t alike = plan.extents[plan.extents.size() - 2];
    uint8_t copies[kJoined];
    for (int64_t r = begin, count = 0; r < end; r += count) {
      // Those from here that have the row in common.
      count = std::min(end - r, alike - r % alike);
      ForEachRow<2>(plan, r, r + 1, [&](int64_t, const auto& at) {
        const uint8_t* own = operands[repeated] + at[repeated];
        const int64_t copied = std::min(count, most);
        for (int64_t k = 0; k < copied; ++k) {
          std::copy_n(own, n, copies + k * n);
        }
        const uint8_t* other = operands[1 - repeated] + at[1 - repeated];
        for (int64_t k = 0; k < count; k += most) {
          const uint8_t* rows = other + k * n;
          row(f, a, b, repeated == 0 ? copies : rows, 1,
              repeated == 0 ? rows : copies, 1, std::min(most, count - k) * n,
              y + (r + k) * n);
        }
      });
    }
  }
};

// Fills in term(q - zero point) of each value q of an operand.
template <typename F>
void FillTerms(const TensorType& x, Terms* terms, const F& term) {
  const QuantizedRange range = RangeOf(x.dtype);
  for (int32_t q = range.least; q <= range.most; ++q) {
    terms->of_value[static_cast<uint8_t>(q)] =
        term(q - x.quantization->zero_point());
  }
}

// Terms are the quantized values minus the zero point, times `unit` * 2^bits.
void FillScaled(const TensorType& x, int bits, double unit, Terms* terms) {
  const FixedFactor factor = ToFixed(unit);
  FillTerms(x, terms,
            [&](int32_t v) { return Scale(v * (1 << bits), factor); });
}

std::unique_ptr<EltwiseQ8> NewKernel(const Node& node, CpuContext& context) {
  auto kernel = std::make_unique<EltwiseQ8>();
  kernel->threads = context.threads;
  kernel->plan =
      PlanBroadcast(node.outputs[0].shape,
                    {node.inputs[0].type.shape, node.inputs[1].type.shape});
  kernel->repeated = RepeatedOperand(kernel->plan);
  for (int i : {0, 1}) {
    if (node.inputs[i].type.shape == node.outputs[0].shape) {
      kernel->in_place.push_back({i, 0});
    }
  }
  return kernel;
}

// Gives the terms of both operands a common unit, which is returned: it is
// 2^-bits of the number.
double ToCommonUnit(const Node& node, int bits, EltwiseQ8* kernel) {
  const TensorType &a = node.inputs[0].type, &b = node.inputs[1].type;
  const float p = a.quantization->scale(), q = b.quantization->scale();
  const double unit = 2 * double{std::max(p, q)};
  FillScaled(a, bits, p / unit, &kernel->a);
  FillScaled(b, bits, q / unit, &kernel->b);
  return unit;
}

Status CheckQuantizedAlike(const Node& node) {
  const TensorType &a = node.inputs[0].type, &b = node.inputs[1].type;
  const TensorType& y = node.outputs[0];
  if (AreEqual(a.quantization, b.quantization) &&
      AreEqual(a.quantization, y.quantization)) {
    return Status();
  }
  return Unsupported(Label(node), ": a, b and y must be quantized alike, not ",
                     "as", ToString(a.quantization), ",",
                     ToString(b.quantization), " and",
                     ToString(y.quantization));
}

// Terms are the quantized values minus the zero point.
void UseDifferences(const Node& node, EltwiseQ8* kernel) {
  const auto same = [](int32_t v) { return v; };
  FillTerms(node.inputs[0].type, &kernel->a, same);
  FillTerms(node.inputs[1].type, &kernel->b, same);
}

void UseProducts(const Node& node, float y_scale, const CpuContext& context,
                 EltwiseQ8* kernel) {
  const TensorType &a = node.inputs[0].type, &b = node.inputs[1].type;
  UseDifferences(node, kernel);
  kernel->row = Product;
  Arithmetic& f = kernel->f;
  f.y = ToFixed(a.quantization->scale() * b.quantization->scale() / y_scale);
  const int left = std::max(f.y.exponent, 0);
  const int right = std::max(-f.y.exponent, 0);
  constexpr int kBits = 16;  // of a product's magnitude
  const auto fits = [=](const RequantizeQ8& row) {
    return kBits + left <= row.bits && right <= row.max_right;
  };
  if (f.y.mantissa == 0 || kBits + left > 29) return;
  const auto is_signed = [](const TensorType& x) {
    return x.dtype == DataType::kI8;
  };
  const auto zero = [&](const TensorType& x) {
    return static_cast<int16_t>(x.quantization->zero_point() +
                                (is_signed(x) ? 128 : 0));
  };
  Products& p = f.products;
  p.flip_x = is_signed(a) ? 0x80 : 0;
  p.flip_w = is_signed(b) ? 0x80 : 0;
  p.zero_x = zero(a);
  p.zero_w = zero(b);
  p.fn = ChooseRow(kRequantizeQ8, context.features, fits).fn;
  std::fill(std::begin(p.mantissa), std::end(p.mantissa), f.y.mantissa);
  std::fill(std::begin(p.left), std::end(p.left), left);
  std::fill(std::begin(p.right), std::end(p.right), right);
  kernel->row = VectorProduct;
}

}  // namespace

Result<KernelPtr> PrepareEltwiseQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const EltwiseAttrs attrs,
                        ReadAttrs<EltwiseAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const EltwiseType type, ParseEltwiseType(node, attrs));
  const Quantization& a = *node.inputs[0].type.quantization;
  const Quantization& b = *node.inputs[1].type.quantization;
  const Quantization& y = *node.outputs[0].quantization;
  auto kernel = NewKernel(node, context);
  Arithmetic& f = kernel->f;
  MACE_ASSIGN_OR_RETURN(f.range, RangeAfter(node, attrs, node.outputs[0]));
  f.y_zero = y.zero_point();
  switch (type) {
    case EltwiseType::kSum:
    case EltwiseType::kSub:
      if (KernelPtr sum =
              MakeAddQ8(node, type == EltwiseType::kSub, f.range, context)) {
        return sum;
      }
      kernel->row = type == EltwiseType::kSum ? Sum : Difference;
      f.y = ToFixed(ToCommonUnit(node, kEltwiseQ8SumBits, kernel.get()) /
                    (double{1 << kEltwiseQ8SumBits} * y.scale()));
      break;
    case EltwiseType::kSqrDiff: {
      kernel->row = SquaredDifference;
      const double unit =
          ToCommonUnit(node, kEltwiseQ8DifferenceBits, kernel.get());
      f.y = ToFixed(unit * unit /
                    (double{1 << (2 * kEltwiseQ8DifferenceBits)} * y.scale()));
      break;
    }
    case EltwiseType::kProd:
      UseProducts(node, y.scale(), context, kernel.get());
      break;
    case EltwiseType::kDiv:
      kernel->row = Division;
      f.y = ToFixed(a.scale() / (b.scale() * y.scale()));
      UseDifferences(node, kernel.get());
      break;
    case EltwiseType::kMin:
    case EltwiseType::kMax:
      MACE_RETURN_IF_ERROR(CheckQuantizedAlike(node));
      kernel->row = type == EltwiseType::kMin ? Minimum : Maximum;
      UseDifferences(node, kernel.get());
      break;
    default:
      return Unsupported(
          Label(node), ": of quantized tensors the CPU computes ",
          "SUM, SUB, PROD, DIV, SQR_DIFF, MIN and MAX, not ", attrs.type);
  }
  return KernelPtr(std::move(kernel));
}

Result<KernelPtr> PreparePReluQ8(const Node& node, CpuContext& context) {
  const float x = node.inputs[0].type.quantization->scale();
  const float alpha = node.inputs[1].type.quantization->scale();
  const Quantization& y = *node.outputs[0].quantization;
  auto kernel = NewKernel(node, context);
  kernel->row = PRelu;
  kernel->f.y = ToFixed(x * alpha / y.scale());
  kernel->f.y_of_positive = ToFixed(x / y.scale());
  kernel->f.y_zero = y.zero_point();
  kernel->f.range = RangeOf(node.outputs[0].dtype);
  UseDifferences(node, kernel.get());
  return KernelPtr(std::move(kernel));
}

Result<KernelPtr> PrepareCompareQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const CompareAttrs attrs,
                        ReadAttrs<CompareAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const CompareType type, CompareTypeOf(node, attrs));
  auto kernel = NewKernel(node, context);
  kernel->row = kComparisons[static_cast<int>(type)];
  const TensorType &a = node.inputs[0].type, &b = node.inputs[1].type;
  FillScaled(a, kCompareBits, a.quantization->scale(), &kernel->a);
  FillScaled(b, kCompareBits, b.quantization->scale(), &kernel->b);
  return KernelPtr(std::move(kernel));
}

}  // namespace mace::cpu
