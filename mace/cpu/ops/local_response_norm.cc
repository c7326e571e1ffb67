// LocalResponseNorm on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/local_response_norm.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/ukernels/row/row_f32_table.h"

namespace mace::cpu {
namespace {

struct NormWindow {
  int64_t before, after;  // number of channels
  float bias, alpha, beta;

  int64_t size() const { return before + 1 + after; }
};

// Computes a row by the definition.
void LocalResponseNormRow(const NormWindow& w, const float* x, int64_t channels,
                          float* y) {
  for (int64_t c = 0; c < channels; ++c) {
    const int64_t first = std::max<int64_t>(0, c - w.before);
    const int64_t last = std::min(channels - 1, c + w.after);
    float sum = 0;
    for (int64_t k = first; k <= last; ++k) sum += x[k] * x[k];
    y[c] = x[c] * std::pow(w.bias + w.alpha * sum, -w.beta);
  }
}

constexpr int64_t kPiece = 256;     // channels computed at once
constexpr int64_t kMaxWindow = 64;  // largest one for the micro-kernel

// The same for a beta of 1/2 or 3/4: squares a piece of the row and its
// surroundings (zeros beyond the row), then calls the micro-kernel.
void FastRow(const NormWindow& w, const RowF32Set& set, const float* x,
             int64_t channels, float* y) {
  float squares[kPiece + kMaxWindow];
  for (int64_t c = 0; c < channels; c += kPiece) {
    const int64_t n = std::min(kPiece, channels - c);
    const int64_t first = std::max<int64_t>(0, c - w.before);
    const int64_t last = std::min(channels, c + n + w.after);
    float* to = std::fill_n(squares, first - (c - w.before), 0.0f);
    for (int64_t k = first; k < last; ++k) *to++ = x[k] * x[k];
    std::fill(to, squares + n + w.size() - 1, 0.0f);
    set.lrn({static_cast<size_t>(n), x + c, squares,
             static_cast<size_t>(w.size()), w.bias, w.alpha, w.beta == 0.75f,
             y + c});
  }
}

Result<KernelPtr> PrepareLocalResponseNormF32(const Node& node,
                                              CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const LocalResponseNormAttrs attrs,
                        ReadAttrs<LocalResponseNormAttrs>(node));
  const mace::Shape& x = node.inputs[0].type.shape;
  const int64_t channels = x.back();
  const int64_t rows = channels == 0 ? 0 : NumElements(x) / channels;
  NormWindow window = {attrs.depth_radius, attrs.depth_radius, attrs.bias,
                       attrs.alpha, attrs.beta};
  if (attrs.size > 0) {
    window.before = (attrs.size - 1) / 2;
    window.after = attrs.size / 2;
  }
  window.before = std::min(window.before, channels);
  window.after = std::min(window.after, channels);
  const RowF32& row = ChooseRow(kRowF32, context.features);
  const bool fast = !context.reference && window.size() <= kMaxWindow &&
                    (attrs.beta == 0.5f || attrs.beta == 0.75f);
  KernelProperties properties;
  if (fast) properties.variant = row.name;
  return MakeKernel(
      [threads = context.threads, window, rows, channels, fast,
       set = row.set](const RunArgs& args) {
        const float* from = args.inputs[0].as<const float>();
        float* to = args.outputs[0].as<float>();
        threads->ParallelFor(rows, 8, [=](size_t begin, size_t end) {
          for (size_t r = begin; r < end; ++r) {
            const float* x_row = from + r * channels;
            float* y_row = to + r * channels;
            if (fast) {
              FastRow(window, *set, x_row, channels, y_row);
            } else {
              LocalResponseNormRow(window, x_row, channels, y_row);
            }
          }
        });
      },
      properties);
}

}  // namespace

CpuKernelDefs LocalResponseNorm() {
  return {{DataType::kF32, PrepareLocalResponseNormF32}};
}

}  // namespace mace::cpu
