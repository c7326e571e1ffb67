// Cast on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/cast.h"

#include "mace/cpu/common/convert.h"
#include "mace/cpu/copy/copy_kernel.h"

namespace mace::cpu {
namespace {

struct CastKernel final : Kernel {
  ThreadPool* threads = nullptr;
  DataType from = DataType::kF32, to = DataType::kF32;
  int64_t n = 0;

  Status Run(const RunArgs& args) override {
    const char* x = args.inputs[0].as<const char>();
    char* y = args.outputs[0].as<char>();
    threads->ParallelFor(n, 1 << 14, [&](size_t begin, size_t end) {
      ConvertElements(from, x + begin * SizeOf(from), to,
                      y + begin * SizeOf(to),
                      static_cast<int64_t>(end - begin));
    });
    return Status();
  }
};

Result<KernelPtr> PrepareCast(const Node& node, CpuContext& context) {
  const TensorType& x = node.inputs[0].type;
  if (x.dtype == node.outputs[0].dtype) return PrepareView(node, context);
  auto kernel = std::make_unique<CastKernel>();
  kernel->threads = context.threads;
  kernel->from = x.dtype;
  kernel->to = node.outputs[0].dtype;
  kernel->n = NumElements(x.shape);
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs Cast() { return ForAllTypes(PrepareCast); }

}  // namespace mace::cpu
