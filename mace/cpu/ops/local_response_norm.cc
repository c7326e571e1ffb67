// LocalResponseNorm on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/local_response_norm.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/function_kernel.h"
#include "mace/cpu/kernel_table.h"

namespace mace::cpu {
namespace {

// s^-beta; the two exponents that published networks use avoid pow.
float InversePower(float s, float beta) {
  if (beta == 0.5f) return 1 / std::sqrt(s);
  if (beta == 0.75f) {
    const float root = std::sqrt(s);
    return 1 / (root * std::sqrt(root));
  }
  return std::pow(s, -beta);
}

struct Window {
  int64_t before, after;  // channels
  float bias, alpha, beta;
};

void Row(const Window& w, const float* x, int64_t channels, float* y) {
  for (int64_t c = 0; c < channels; ++c) {
    const int64_t first = std::max<int64_t>(0, c - w.before);
    const int64_t last = std::min(channels - 1, c + w.after);
    float sum = 0;
    for (int64_t k = first; k <= last; ++k) sum += x[k] * x[k];
    y[c] = x[c] * InversePower(w.bias + w.alpha * sum, w.beta);
  }
}

Result<KernelPtr> PrepareF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const LocalResponseNormAttrs attrs,
                        ReadAttrs<LocalResponseNormAttrs>(node));
  const mace::Shape& x = node.inputs[0].type.shape;
  const int64_t channels = x.back();
  const int64_t rows = channels == 0 ? 0 : NumElements(x) / channels;
  Window window = {attrs.depth_radius, attrs.depth_radius, attrs.bias,
                   attrs.alpha, attrs.beta};
  if (attrs.size > 0) {
    window.before = (attrs.size - 1) / 2;
    window.after = attrs.size / 2;
  }
  window.before = std::min(window.before, channels);
  window.after = std::min(window.after, channels);
  return MakeKernel(
      [threads = context.threads, window, rows, channels](const RunArgs& args) {
        const float* from = args.inputs[0].as<const float>();
        float* to = args.outputs[0].as<float>();
        threads->ParallelFor(rows, 8, [=](size_t begin, size_t end) {
          for (size_t r = begin; r < end; ++r) {
            Row(window, from + r * channels, channels, to + r * channels);
          }
        });
      });
}

}  // namespace

CpuKernelDefs LocalResponseNorm() { return {{DataType::kF32, PrepareF32}}; }

}  // namespace mace::cpu
