// GatherNd on the CPU: copies a run of bytes for each index tuple.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/gather_nd.h"

#include <algorithm>
#include <cstring>

#include "mace/cpu/common/index_tuples.h"
#include "mace/cpu/copy/copy_kernel.h"

namespace mace::cpu {
namespace {

struct GatherNdKernel final : Kernel {
  ThreadPool* threads = nullptr;
  TupleSpec tuples;
  int64_t per_batch = 1;    // tuples in each batch
  int64_t batch_bytes = 0;  // of x

  Status Run(const RunArgs& args) override {
    const Indices idx(args.inputs[1].handle, tuples.idx_dtype,
                      tuples.from_start);
    MACE_RETURN_IF_ERROR(tuples.Check(idx));
    const char* x = args.inputs[0].as<const char>();
    char* y = args.outputs[0].as<char>();
    const int64_t bytes = tuples.slice_bytes;
    if (bytes == 0) return Status();
    const int64_t tile = std::max<int64_t>(1, 16384 / bytes);
    threads->ParallelFor(tuples.count, tile, [&](size_t begin, size_t end) {
      for (int64_t t = begin; t < static_cast<int64_t>(end); ++t) {
        std::memcpy(y + t * bytes,
                    x + t / per_batch * batch_bytes + tuples.Offset(idx, t),
                    static_cast<size_t>(bytes));
      }
    });
    return Status();
  }
};

Result<KernelPtr> PrepareGatherNd(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const GatherNdAttrs attrs,
                        ReadAttrs<GatherNdAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  auto kernel = std::make_unique<GatherNdKernel>();
  kernel->threads = context.threads;
  kernel->tuples = TuplesOf(node, x, node.inputs[1].type, attrs.batch_dims);
  kernel->tuples.from_start = attrs.from_start;
  const int64_t batches = NumElements(
      mace::Shape(x.shape.begin(), x.shape.begin() + attrs.batch_dims));
  if (batches > 0) {
    kernel->per_batch = std::max<int64_t>(1, kernel->tuples.count / batches);
    kernel->batch_bytes = Bytes(x) / batches;
  }
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs GatherNd() { return ForAllTypes(PrepareGatherNd); }

}  // namespace mace::cpu
