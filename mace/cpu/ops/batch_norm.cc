// BatchNorm on the CPU: a scale and an offset per channel, made at each run
// since the parameters may be computed, then one pass over x.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/batch_norm.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/affine_row.h"
#include "mace/cpu/kernel_table.h"

namespace mace::cpu {
namespace {

struct BatchNormF32 final : Kernel {
  ThreadPool* threads = nullptr;
  ActivationFunction act;
  float epsilon = 0;
  int64_t rows = 0, channels = 0;

  int64_t scratch_bytes() const override {
    return 2 * channels * static_cast<int64_t>(sizeof(float));
  }
  std::vector<Overlap> overlaps() const override { return {{0, 0}}; }

  Status Run(const RunArgs& args) override {
    const float* x = args.inputs[0].as<const float>();
    float* y = args.outputs[0].as<float>();
    float* scale = args.scratch.as<float>();
    float* offset = scale + channels;
    Fold(args, scale, offset);
    const int64_t tile = 16384 / std::max<int64_t>(1, channels) + 1;
    threads->ParallelFor(rows, tile, [&](size_t begin, size_t end) {
      for (size_t r = begin; r < end; ++r) {
        AffineRow(act, x + r * channels, scale, offset, y + r * channels,
                  channels);
      }
    });
    return Status();
  }

  void Fold(const RunArgs& args, float* scale, float* offset) const {
    const float* gamma = args.inputs[1].as<const float>();
    const float* beta = args.inputs[2].as<const float>();
    const float* mean = args.inputs[3].as<const float>();
    const float* var = args.inputs[4].as<const float>();
    for (int64_t c = 0; c < channels; ++c) {
      scale[c] = gamma[c] / std::sqrt(var[c] + epsilon);
      offset[c] = beta[c] - mean[c] * scale[c];
    }
  }
};

Result<KernelPtr> PrepareF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const BatchNormAttrs attrs,
                        ReadAttrs<BatchNormAttrs>(node));
  auto kernel = std::make_unique<BatchNormF32>();
  MACE_ASSIGN_OR_RETURN(kernel->act, ResolveActivation(node, attrs));
  const mace::Shape& x = node.inputs[0].type.shape;
  kernel->threads = context.threads;
  kernel->epsilon = attrs.epsilon;
  kernel->channels = x.back();
  kernel->rows = x.back() == 0 ? 0 : NumElements(x) / x.back();
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs BatchNorm() { return {{DataType::kF32, PrepareF32}}; }

}  // namespace mace::cpu
