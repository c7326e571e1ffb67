// Rows of a times columns of b, which are first copied to scratch memory
// without their zero points.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/quantized/mat_mul_q8.h"

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/quantized/codes.h"
#include "mace/cpu/quantized/products_q8.h"
#include "mace/graph/attrs.h"
#include "mace/ops/common/broadcast.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/mat_mul.h"

namespace mace::cpu {
namespace {

constexpr int64_t kMatMulQ8Tile = 1 << 14;  // elements or products of a task

// An operand: `count` matrices, whose lines of k codes are multiplied.
struct Lines {
  int64_t count = 0, lines = 0, k = 0;
  bool is_transposed = false;  // the codes of a line are `lines` apart
  bool is_unsigned = false;
  int32_t zero = 0;

  int64_t total() const { return count * lines; }
  size_t bytes() const { return total() * k * sizeof(int16_t); }

  int16_t CodeAt(const uint8_t* x, int64_t at) const {
    const int32_t code = is_unsigned ? x[at] : static_cast<int8_t>(x[at]);
    return static_cast<int16_t>(code - zero);
  }
  void Copy(const uint8_t* x, ThreadPool* threads, int16_t* to) const {
    const int64_t tile =
        std::max<int64_t>(1, kMatMulQ8Tile / std::max<int64_t>(1, k));
    threads->ParallelFor(total(), tile, [&](size_t begin, size_t end) {
      for (int64_t l = begin; l < static_cast<int64_t>(end); ++l) {
        const uint8_t* matrix = x + l / lines * lines * k;
        const int64_t first = is_transposed ? l % lines : l % lines * k;
        const int64_t step = is_transposed ? lines : 1;
        for (int64_t i = 0; i < k; ++i) {
          to[l * k + i] = CodeAt(matrix, first + i * step);
        }
      }
    });
  }
};

struct MatMulQ8 final : Kernel {
  ThreadPool* threads = nullptr;
  Lines a, b;
  BroadcastPlan plan;  // of matrices
  OutputStage stage;

  std::string variant() const override { return "mat_mul_q8"; }
  int64_t macs() const override {
    return SaturatedProduct({NumProducts(), a.lines, b.lines, a.k});
  }
  int64_t scratch_bytes() const override {
    return static_cast<int64_t>(AlignUp(a.bytes(), kAlignment) + b.bytes());
  }

  // The number of products.
  int64_t NumProducts() const {
    int64_t n = 1;
    for (const int64_t extent : plan.extents) n *= extent;
    return n;
  }

  Status Run(const RunArgs& args) override {
    auto* rows = args.scratch.as<int16_t>();
    auto* columns = reinterpret_cast<int16_t*>(args.scratch.as<char>() +
                                               AlignUp(a.bytes(), kAlignment));
    a.Copy(args.inputs[0].as<const uint8_t>(), threads, rows);
    b.Copy(args.inputs[1].as<const uint8_t>(), threads, columns);
    auto* y = args.outputs[0].as<uint8_t>();
    const int64_t work = std::max<int64_t>(1, b.lines * a.k);
    const int64_t tile = std::max<int64_t>(1, kMatMulQ8Tile / work);
    threads->ParallelFor(
        NumProducts() * a.lines, tile, [&](size_t begin, size_t end) {
          for (int64_t r = begin; r < static_cast<int64_t>(end); ++r) {
            if (threads->is_cancelled()) return;
            const int64_t product = r / a.lines;
            Row(rows + (MatrixOf(0, product) * a.lines + r % a.lines) * a.k,
                columns + MatrixOf(1, product) * b.lines * a.k,
                y + r * b.lines);
          }
        });
    return Status();
  }

  // Returns which matrix of an operand a product reads.
  int64_t MatrixOf(int operand, int64_t product) const {
    int64_t at = 0;
    for (size_t d = plan.extents.size(); d-- > 0;) {
      at += product % plan.extents[d] * plan.strides[operand][d];
      product /= plan.extents[d];
    }
    return at;
  }

  void Row(const int16_t* row, const int16_t* columns, uint8_t* y) const {
    for (int64_t o = 0; o < b.lines; ++o) {
      const uint32_t sum = SumOfProducts(row, columns + o * a.k, a.k);
      y[o] = static_cast<uint8_t>(stage(static_cast<int32_t>(sum), 0));
    }
  }
};

Lines LinesOf(const TensorType& x, const Shape& batch, int64_t lines, int64_t k,
              bool is_transposed) {
  return {NumElements(batch),
          lines,
          k,
          is_transposed,
          x.dtype == DataType::kU8,
          x.quantization->zero_point()};
}

}  // namespace

Result<KernelPtr> PrepareMatMulQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const MatMulAttrs attrs, ReadAttrs<MatMulAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const MatMulShapes s, ResolveMatMul(node, attrs));
  const TensorType &a = node.inputs[0].type, &b = node.inputs[1].type;
  const Quantization& y = *node.outputs[0].quantization;
  auto kernel = std::make_unique<MatMulQ8>();
  kernel->threads = context.threads;
  kernel->a =
      LinesOf(a, s.batch_a, s.m, s.k, attrs.transpose_a && a.rank() > 1);
  kernel->b =
      LinesOf(b, s.batch_b, s.n, s.k, !attrs.transpose_b && b.rank() > 1);
  kernel->plan = PlanBroadcast(s.batch, {s.batch_a, s.batch_b});
  const float product = a.quantization->scale() * b.quantization->scale();
  kernel->stage.factors = {ToFixed(double{product} / y.scale())};
  kernel->stage.zero_point = y.zero_point();
  kernel->stage.range = CodesOf(node.outputs[0].dtype);
  return KernelPtr(std::move(kernel));
}

}  // namespace mace::cpu
