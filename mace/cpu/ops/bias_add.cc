// BiasAdd on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/bias_add.h"

#include <algorithm>

#include "mace/cpu/affine_row.h"
#include "mace/cpu/function_kernel.h"
#include "mace/cpu/kernel_table.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const BiasAddAttrs attrs,
                        ReadAttrs<BiasAddAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ActivationFunction act,
                        ResolveActivation(node, attrs));
  const mace::Shape& x = node.inputs[0].type.shape;
  const int64_t channels = x.back();
  const int64_t rows = channels == 0 ? 0 : NumElements(x) / channels;
  KernelFacts facts;
  facts.overlaps = {{0, 0}};
  return MakeKernel(
      [threads = context.threads, act, channels, rows](const RunArgs& args) {
        const float* from = args.inputs[0].as<const float>();
        const float* bias = args.inputs[1].as<const float>();
        float* to = args.outputs[0].as<float>();
        const int64_t tile = 16384 / std::max<int64_t>(1, channels) + 1;
        threads->ParallelFor(rows, tile, [=](size_t begin, size_t end) {
          for (size_t r = begin; r < end; ++r) {
            const float* row = from + r * channels;
            float* y = to + r * channels;
            for (int64_t c = 0; c < channels; ++c) y[c] = row[c] + bias[c];
            ActivateRow(act, y, y, channels);
          }
        });
      },
      facts);
}

}  // namespace

CpuKernelDefs BiasAdd() { return {{DataType::kF32, PrepareF32}}; }

}  // namespace mace::cpu
