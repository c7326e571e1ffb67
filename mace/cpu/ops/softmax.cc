// Softmax on the CPU, over any axis.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/softmax.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/common/axis_lines.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/conv/q16.h"
#include "mace/cpu/ops/softmax_q8.h"
#include "mace/cpu/ukernels/row/row_f32_table.h"

namespace mace::cpu {
namespace {

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
