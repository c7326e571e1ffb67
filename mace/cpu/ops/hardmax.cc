// Hardmax on the CPU, over any axis.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/hardmax.h"

#include "mace/cpu/kernel_table.h"

namespace mace::cpu {
namespace {

// x viewed as [outer, n, inner]; the maximum is sought along n.
struct HardmaxF32 final : Kernel {
  ThreadPool* threads = nullptr;
  int64_t outer = 1, n = 1, inner = 1;

  Status Run(const RunArgs& args) override {
    const float* x = args.inputs[0].as<const float>();
    float* y = args.outputs[0].as<float>();
    threads->ParallelFor(outer * inner, 64, [&](size_t begin, size_t end) {
      for (size_t r = begin; r < end; ++r) {
        const int64_t at = (r / inner) * n * inner + r % inner;
        Row(x + at, y + at);
      }
    });
    return Status();
  }

  void Row(const float* x, float* y) const {
    int64_t best = 0;
    for (int64_t k = 0; k < n; ++k) {
      if (x[k * inner] > x[best * inner]) best = k;
      y[k * inner] = 0;
    }
    y[best * inner] = 1;
  }
};

Result<KernelPtr> PrepareF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const HardmaxAttrs attrs,
                        ReadAttrs<HardmaxAttrs>(node));
  const Shape& shape = node.inputs[0].type.shape;
  const int rank = node.inputs[0].type.rank();
  const int axis =
      static_cast<int>(attrs.axis < 0 ? attrs.axis + rank : attrs.axis);

  auto kernel = std::make_unique<HardmaxF32>();
  kernel->threads = context.threads;
  kernel->n = shape[axis];
  if (kernel->n == 0) kernel->outer = 0;  // no row has a maximum
  for (int d = 0; d < axis; ++d) kernel->outer *= shape[d];
  for (int d = axis + 1; d < rank; ++d) kernel->inner *= shape[d];
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs Hardmax() { return {{DataType::kF32, PrepareF32}}; }

}  // namespace mace::cpu
