// BatchNorm on the CPU: one pass over x with a scale and an offset for each
// channel. These are computed in each Run, because the parameters may change.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/batch_norm.h"

#include <cmath>

#include "mace/cpu/common/affine.h"
#include "mace/cpu/common/channel_blocks.h"
#include "mace/cpu/common/kernel_table.h"

namespace mace::cpu {
namespace {

struct BatchNormF32 final : Kernel {
  ThreadPool* threads = nullptr;
  Affine affine;
  ChannelBlocks blocks;
  float epsilon = 0;
  int64_t channels = 0;

  // Holds scale and offset for each channel, and for each element of a block.
  int64_t scratch_bytes() const override {
    return 2 * (channels + blocks.block()) *
           static_cast<int64_t>(sizeof(float));
  }
  std::vector<Overlap> overlaps() const override { return {{0, 0}}; }
  std::string variant() const override { return affine.variant(); }

  Status Run(const RunArgs& args) override {
    const float* x = args.inputs[0].as<const float>();
    float* y = args.outputs[0].as<float>();
    float* scale = args.scratch.as<float>();
    float* offset = scale + blocks.block();
    Fold(args, scale, offset);
    blocks.ForEach(threads, [&](int64_t first, int64_t n) {
      affine.Apply(x + first, scale, offset, n, y + first);
    });
    return Status();
  }

  void Fold(const RunArgs& args, float* scale, float* offset) const {
    const float* gamma = args.inputs[1].as<const float>();
    const float* beta = args.inputs[2].as<const float>();
    const float* mean = args.inputs[3].as<const float>();
    const float* var = args.inputs[4].as<const float>();
    float* a = offset + blocks.block();
    float* b = a + channels;
    for (int64_t c = 0; c < channels; ++c) {
      a[c] = gamma[c] / std::sqrt(var[c] + epsilon);
      b[c] = beta[c] - mean[c] * a[c];
    }
    blocks.Repeat(a, scale);
    blocks.Repeat(b, offset);
  }
};

Result<KernelPtr> PrepareBatchNormF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const BatchNormAttrs attrs,
                        ReadAttrs<BatchNormAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ActivationFunction act,
                        ResolveActivation(node, attrs));
  const mace::Shape& x = node.inputs[0].type.shape;
  auto kernel = std::make_unique<BatchNormF32>();
  kernel->threads = context.threads;
  kernel->affine = Affine(act, context.features);
  kernel->blocks = ChannelBlocks(NumElements(x), x.back());
  kernel->epsilon = attrs.epsilon;
  kernel->channels = x.back();
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs BatchNorm() { return {{DataType::kF32, PrepareBatchNormF32}}; }

}  // namespace mace::cpu
