// Gather on the CPU: copies a run of bytes for each index.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/gather.h"

#include <algorithm>
#include <cstring>

#include "mace/cpu/common/indices.h"
#include "mace/cpu/copy/copy_kernel.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

// x is seen as [batch, outer, extent, run], idx as [batch, count] and y as
// [batch, outer, count, run].
struct GatherKernel final : Kernel {
  ThreadPool* threads = nullptr;
  std::string label;
  DataType idx_dtype = DataType::kI64;
  int64_t batch = 1, outer = 1, extent = 1, count = 1, run_bytes = 0;

  Status Run(const RunArgs& args) override {
    const Indices idx(args.inputs[1].handle, idx_dtype);
    for (int64_t i = 0; i < batch * count; ++i) {
      if (idx.At(i, extent) < 0) return IndexError(label, idx[i], extent);
    }
    if (run_bytes == 0) return Status();
    const char* x = args.inputs[0].as<const char>();
    char* y = args.outputs[0].as<char>();
    const size_t tile = static_cast<size_t>(
        std::max<int64_t>(1, 16384 / std::max<int64_t>(1, run_bytes)));
    threads->ParallelFor(
        batch * outer * count, tile, [&](size_t begin, size_t end) {
          for (int64_t u = begin; u < static_cast<int64_t>(end); ++u) {
            const int64_t slice = u / count;  // [batch, outer]
            const int64_t i = idx.At(slice / outer * count + u % count, extent);
            std::memcpy(y + u * run_bytes, x + (slice * extent + i) * run_bytes,
                        static_cast<size_t>(run_bytes));
          }
        });
    return Status();
  }
};

Result<KernelPtr> Prepare(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const GatherAttrs attrs, ReadAttrs<GatherAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  const TensorType& idx = node.inputs[1].type;
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, x.rank()));
  const int batch_dims = static_cast<int>(attrs.batch_dims);
  auto kernel = std::make_unique<GatherKernel>();
  kernel->threads = context.threads;
  kernel->label = Label(node);
  kernel->idx_dtype = idx.dtype;
  kernel->extent = x.shape[axis];
  kernel->run_bytes = static_cast<int64_t>(SizeOf(x.dtype));
  for (int d = 0; d < batch_dims; ++d) kernel->batch *= x.shape[d];
  for (int d = batch_dims; d < axis; ++d) kernel->outer *= x.shape[d];
  for (int d = axis + 1; d < x.rank(); ++d) kernel->run_bytes *= x.shape[d];
  for (int d = batch_dims; d < idx.rank(); ++d) kernel->count *= idx.shape[d];
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs Gather() { return ForAllTypes(Prepare); }

}  // namespace mace::cpu
