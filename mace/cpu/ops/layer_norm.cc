// LayerNorm on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/layer_norm.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

// Returns the sum of f(x) over all elements: in several parts, which the
// compiler computes side by side.
template <typename Term>
double LayerNormSum(const float* x, int64_t n, Term f) {
  constexpr int64_t kParts = 16;
  double parts[kParts] = {};
  int64_t i = 0;
  for (; i + kParts <= n; i += kParts) {
    for (int64_t k = 0; k < kParts; ++k) parts[k] += f(x[i + k]);
  }
  double sum = 0;
  for (; i < n; ++i) sum += f(x[i]);
  for (const double part : parts) sum += part;
  return sum;
}

void NormalizeLayerNormRow(const float* x, const float* scale,
                           const float* offset, const LayerNormAttrs& attrs,
                           int64_t n, float* y) {
  const double count = static_cast<double>(n), epsilon = attrs.epsilon;
  const auto itself = [](double v) { return v; };
  const double mean = attrs.centered ? LayerNormSum(x, n, itself) / count : 0;
  const auto square = [mean](double v) { return (v - mean) * (v - mean); };
  const double var = LayerNormSum(x, n, square) / count;
  const float factor = static_cast<float>(1 / std::sqrt(var + epsilon));
  const float middle = static_cast<float>(mean);
  for (int64_t i = 0; i < n; ++i) {
    const float v = (x[i] - middle) * factor;
    y[i] = (scale == nullptr ? v : v * scale[i]) +
           (offset == nullptr ? 0 : offset[i]);
  }
}

const float* Optional(const RunArgs& args, size_t i) {
  return i < args.inputs.size() ? args.inputs[i].as<const float>() : nullptr;
}

Result<KernelPtr> PrepareLayerNormF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const LayerNormAttrs attrs,
                        ReadAttrs<LayerNormAttrs>(node));
  const mace::Shape& x = node.inputs[0].type.shape;
  MACE_ASSIGN_OR_RETURN(
      const int axis,
      ResolveAxis(node, attrs.axis, static_cast<int>(x.size())));
  const int64_t rows = NumElements(mace::Shape(x.begin(), x.begin() + axis));
  const int64_t n = NumElements(mace::Shape(x.begin() + axis, x.end()));
  KernelProperties properties;
  properties.overlaps = {{0, 0}};
  return MakeKernel(
      [threads = context.threads, rows, n, attrs](const RunArgs& args) {
        const float* from = args.inputs[0].as<const float>();
        const float* scale = Optional(args, 1);
        const float* offset = Optional(args, 2);
        float* to = args.outputs[0].as<float>();
        const int64_t tile = 4096 / std::max<int64_t>(1, n) + 1;
        threads->ParallelFor(rows, tile, [=](size_t begin, size_t end) {
          for (size_t r = begin; r < end; ++r) {
            NormalizeLayerNormRow(from + r * n, scale, offset, attrs, n,
                                  to + r * n);
          }
        });
      },
      properties);
}

}  // namespace

CpuKernelDefs LayerNorm() { return {{DataType::kF32, PrepareLayerNormF32}}; }

}  // namespace mace::cpu
