// Hardmax on the CPU, over any axis.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/hardmax.h"

#include "mace/cpu/common/axis_lines.h"
#include "mace/cpu/common/kernel_table.h"

namespace mace::cpu {
namespace {

struct HardmaxF32 final : Kernel {
  ThreadPool* threads = nullptr;
  AxisLines lines;

  Status Run(const RunArgs& args) override {
    const float* x = args.inputs[0].as<const float>();
    float* y = args.outputs[0].as<float>();
    if (lines.n == 0) return Status();  // no line has a maximum
    threads->ParallelFor(lines.count(), 64, [&](size_t begin, size_t end) {
      for (size_t line = begin; line < end; ++line) {
        const int64_t at = lines.Start(line);
        Line(x + at, y + at);
      }
    });
    return Status();
  }

  void Line(const float* x, float* y) const {
    const int64_t n = lines.n, inner = lines.inner;
    int64_t best = 0;
    for (int64_t k = 0; k < n; ++k) {
      if (x[k * inner] > x[best * inner]) best = k;
      y[k * inner] = 0;
    }
    y[best * inner] = 1;
  }
};

Result<KernelPtr> PrepareHardmaxF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const HardmaxAttrs attrs,
                        ReadAttrs<HardmaxAttrs>(node));
  MACE_ASSIGN_OR_RETURN(
      const AxisLines lines,
      LinesAlong(node, attrs.axis, node.inputs[0].type.shape));
  auto kernel = std::make_unique<HardmaxF32>();
  kernel->threads = context.threads;
  kernel->lines = lines;
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs Hardmax() { return {{DataType::kF32, PrepareHardmaxF32}}; }

}  // namespace mace::cpu
