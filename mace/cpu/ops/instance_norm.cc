// InstanceNorm on the CPU: two passes for mean and variance, and one to apply
// them.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/instance_norm.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/common/affine.h"
#include "mace/cpu/common/kernel_table.h"

namespace mace::cpu {
namespace {

constexpr int64_t kInstanceNormLanes = 32;  // channels accumulated together

// x is seen as [batch, rows, channels].
struct InstanceNormF32 final : Kernel {
  ThreadPool* threads = nullptr;
  Affine affine;
  float epsilon = 0;
  int64_t batch = 0, rows = 0, channels = 0;

  std::vector<Overlap> overlaps() const override { return {{0, 0}}; }
  std::string variant() const override { return affine.variant(); }

  Status Run(const RunArgs& args) override {
    // A task is up to kInstanceNormLanes channels of one image.
    const int64_t chunks =
        (channels + kInstanceNormLanes - 1) / kInstanceNormLanes;
    threads->ParallelFor(batch * chunks, 1, [&](size_t begin, size_t end) {
      for (int64_t u = begin; u < static_cast<int64_t>(end); ++u) {
        Unit(args, u / chunks, u % chunks * kInstanceNormLanes);
      }
    });
    return Status();
  }

  void Unit(const RunArgs& args, int64_t n, int64_t first) const {
    const int64_t lanes = std::min(kInstanceNormLanes, channels - first);
    const int64_t at = n * rows * channels + first;
    const float* x = args.inputs[0].as<const float>() + at;
    float* y = args.outputs[0].as<float>() + at;
    double mean[kInstanceNormLanes] = {}, var[kInstanceNormLanes] = {};
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < lanes; ++c) mean[c] += x[r * channels + c];
    }
    for (int64_t c = 0; c < lanes; ++c) mean[c] /= static_cast<double>(rows);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < lanes; ++c) {
        const double d = x[r * channels + c] - mean[c];
        var[c] += d * d;
      }
    }
    const float* gamma = args.inputs[1].as<const float>() + first;
    const float* beta = args.inputs[2].as<const float>() + first;
    float scale[kInstanceNormLanes], offset[kInstanceNormLanes];
    for (int64_t c = 0; c < lanes; ++c) {
      const double v = var[c] / static_cast<double>(rows);
      const double s = gamma[c] / std::sqrt(v + epsilon);
      scale[c] = static_cast<float>(s);
      offset[c] = static_cast<float>(beta[c] - mean[c] * s);
    }
    for (int64_t r = 0; r < rows; ++r) {
      affine.Apply(x + r * channels, scale, offset, lanes, y + r * channels);
    }
  }
};

Result<KernelPtr> PrepareInstanceNormF32(const Node& node,
                                         CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const InstanceNormAttrs attrs,
                        ReadAttrs<InstanceNormAttrs>(node));
  auto kernel = std::make_unique<InstanceNormF32>();
  MACE_ASSIGN_OR_RETURN(const ActivationFunction act,
                        ResolveActivation(node, attrs));
  kernel->affine = Affine(act, context.features);
  const mace::Shape& x = node.inputs[0].type.shape;
  kernel->threads = context.threads;
  kernel->epsilon = attrs.epsilon;
  kernel->batch = x[0];
  kernel->channels = x.back();
  kernel->rows = NumElements(mace::Shape(x.begin() + 1, x.end() - 1));
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs InstanceNorm() {
  return {{DataType::kF32, PrepareInstanceNormF32}};
}

}  // namespace mace::cpu
