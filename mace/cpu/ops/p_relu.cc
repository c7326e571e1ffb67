// PRelu on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "mace/cpu/common/broadcast_loop.h"
#include "mace/cpu/common/channel_blocks.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/quantized/eltwise_q8.h"
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

void Row(const float* x, const float* alpha, int64_t step, int64_t n,
         float* y) {
  for (int64_t i = 0; i < n; ++i) {
    y[i] = x[i] < 0 ? x[i] * alpha[i * step] : x[i];
  }
}

// For an alpha of any shape that broadcasts.
KernelPtr MakeGeneral(BroadcastPlan plan, ThreadPool* threads) {
  KernelFacts facts;
  facts.overlaps = {{0, 0}};
  return MakeKernel(
      [threads, plan = std::move(plan)](const RunArgs& args) {
        const float* x = args.inputs[0].as<const float>();
        const float* alpha = args.inputs[1].as<const float>();
        float* y = args.outputs[0].as<float>();
        const int64_t n = plan.extents.back();
        const int64_t tile = 16384 / std::max<int64_t>(1, n) + 1;
        threads->ParallelFor(
            NumRows(plan), tile, [&](size_t begin, size_t end) {
              ForEachRow<2>(plan, begin, end, [&](int64_t row, auto& at) {
                Row(x + at[0], alpha + at[1], plan.strides[1].back(), n,
                    y + row * n);
              });
            });
      },
      facts);
}

Result<KernelPtr> PrepareF32(const Node& node, CpuContext& context) {
  const mace::Shape& x = node.inputs[0].type.shape;
  const mace::Shape& alpha = node.inputs[1].type.shape;
  const int64_t period = NumElements(alpha);
  const bool along_last =
      period == 1 || (!alpha.empty() && alpha.back() == period);
  if (context.reference || !along_last) {
    return MakeGeneral(PlanBroadcast(x, {x, alpha}), context.threads);
  }
  auto kernel = std::make_unique<PReluRows>();
  kernel->threads = context.threads;
  kernel->row = &ChooseRow(kRowF32, context.features);
  kernel->blocks = ChannelBlocks(NumElements(x), period);
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs PRelu() {
  return WithQ8({{DataType::kF32, PrepareF32}}, PreparePReluQ8);
}

}  // namespace mace::cpu
