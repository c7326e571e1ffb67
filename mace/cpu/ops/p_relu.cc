// PRelu on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/broadcast_kernel.h"
#include "mace/cpu/common/channel_blocks.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/ops/eltwise_q8.h"
#include "mace/cpu/ukernels/row/row_f32_table.h"

namespace mace::cpu {
namespace {

// Alpha has one value for each element of the last axis, or one for all: it is
// the same for every row.
struct PReluRows final : Kernel {
  ThreadPool* threads = nullptr;
  const RowF32* row = nullptr;
  ChannelBlocks blocks;

  int64_t scratch_bytes() const override {
    return blocks.block() * static_cast<int64_t>(sizeof(float));
  }
  std::vector<Overlap> overlaps() const override { return {{0, 0}}; }
  std::string variant() const override { return row->name; }

  Status Run(const RunArgs& args) override {
    const float* x = args.inputs[0].as<const float>();
    float* y = args.outputs[0].as<float>();
    float* alpha = args.scratch.as<float>();
    blocks.Repeat(args.inputs[1].as<const float>(), alpha);
    blocks.ForEach(threads, [&](int64_t first, int64_t n) {
      row->set->prelu({static_cast<size_t>(n), x + first, alpha, y + first});
    });
    return Status();
  }
};

void PReluRow(const BroadcastRow& given) {
  const BroadcastRow row = given;  // which no store changes
  for (int64_t i = 0; i < row.n; ++i) {
    const float x = row.At<float>(0, i);
    static_cast<float*>(row.y)[i] = x < 0 ? x * row.At<float>(1, i) : x;
  }
}

Result<KernelPtr> PreparePReluF32(const Node& node, CpuContext& context) {
  const mace::Shape& x = node.inputs[0].type.shape;
  const mace::Shape& alpha = node.inputs[1].type.shape;
  const int64_t period = NumElements(alpha);
  const bool along_last =
      period == 1 || (!alpha.empty() && alpha.back() == period);
  if (context.reference || !along_last) {
    KernelProperties properties;
    properties.overlaps = {{0, 0}};
    return MakeBroadcastKernel(node, {{0, 1}, PReluRow}, context.threads,
                               properties);
  }
  auto kernel = std::make_unique<PReluRows>();
  kernel->threads = context.threads;
  kernel->row = &ChooseRow(kRowF32, context.features);
  kernel->blocks = ChannelBlocks(NumElements(x), period);
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs PRelu() {
  return WithQ8({{DataType::kF32, PreparePReluF32}}, PreparePReluQ8);
}

}  // namespace mace::cpu
