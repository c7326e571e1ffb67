// BiasAdd on the CPU: an affine function whose scale is 1.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/bias_add.h"

#include <algorithm>

#include "mace/cpu/common/affine.h"
#include "mace/cpu/common/channel_blocks.h"
#include "mace/cpu/common/kernel_table.h"

namespace mace::cpu {
namespace {

struct BiasAddF32 final : Kernel {
  ThreadPool* threads = nullptr;
  Affine affine;
  ChannelBlocks blocks;

  int64_t scratch_bytes() const override {
    return 2 * blocks.block() * static_cast<int64_t>(sizeof(float));
  }
  std::vector<Overlap> overlaps() const override { return {{0, 0}}; }
  std::string variant() const override { return affine.variant(); }

  Status Run(const RunArgs& args) override {
    const float* x = args.inputs[0].as<const float>();
    float* y = args.outputs[0].as<float>();
    float* ones = args.scratch.as<float>();
    float* offset = ones + blocks.block();
    std::fill_n(ones, blocks.block(), 1.0f);
    blocks.Repeat(args.inputs[1].as<const float>(), offset);
    blocks.ForEach(threads, [&](int64_t first, int64_t n) {
      affine.Apply(x + first, ones, offset, n, y + first);
    });
    return Status();
  }
};

Result<KernelPtr> PrepareBiasAddF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const BiasAddAttrs attrs,
                        ReadAttrs<BiasAddAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ActivationFunction act,
                        ResolveActivation(node, attrs));
  const mace::Shape& x = node.inputs[0].type.shape;
  auto kernel = std::make_unique<BiasAddF32>();
  kernel->threads = context.threads;
  kernel->affine = Affine(act, context.features);
  kernel->blocks = ChannelBlocks(NumElements(x), x.back());
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs BiasAdd() { return {{DataType::kF32, PrepareBiasAddF32}}; }

}  // namespace mace::cpu
