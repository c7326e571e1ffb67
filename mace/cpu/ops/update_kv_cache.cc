// UpdateKvCache on the CPU. Where y is the memory of cache, only the new rows
// are written.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/update_kv_cache.h"

#include <cstring>

#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/common/kv_rows.h"

namespace mace::cpu {
namespace {

constexpr int64_t kTaskElements = 8192;

struct UpdateKvCacheKernel final : Kernel {
  std::vector<Overlap> overlaps() const override { return {{kKvCache, 0}}; }

  Status Run(const RunArgs& args) override {
    const void* at = args.inputs[kKvPosition].handle;
    MACE_RETURN_IF_ERROR(position.Check(at, s.rows.rows, s.cache.rows));
    char* y = args.outputs[0].as<char>();
    const void* cache = args.inputs[kKvCache].handle;
    if (y != cache) std::memcpy(y, cache, static_cast<size_t>(bytes));
    const auto* rows = args.inputs[kKvRows].as<const float>();
    const int64_t n = s.rows.batch * s.rows.heads * s.rows.rows;
    const int64_t task = kTaskElements / std::max<int64_t>(s.rows.depth, 1) + 1;
    threads->ParallelFor(n, task, [&](size_t begin, size_t end) {
      for (int64_t i = static_cast<int64_t>(begin);
           i < static_cast<int64_t>(end); ++i) {
        const int64_t row = i % s.rows.rows;
        const int64_t head = i / s.rows.rows % s.rows.heads;
        const int64_t batch = i / s.rows.rows / s.rows.heads;
        const float* from = rows + batch * s.rows.batch_stride +
                            head * s.rows.head_stride + row * s.rows.row_stride;
        const int64_t to = batch * s.cache.batch_stride +
                           head * s.cache.head_stride +
                           (position.At(at, batch) + row) * s.cache.row_stride;
        StoreKvRow(dtype, from, s.rows.depth, y + to * element);
      }
    });
    return Status();
  }

  ThreadPool* threads = nullptr;
  UpdateKvCacheShapes s;
  KvPosition position;
  DataType dtype = DataType::kInvalid;
  int64_t element = 0, bytes = 0;
};

Result<KernelPtr> PrepareUpdateKvCache(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const UpdateKvCacheShapes s,
                        ResolveUpdateKvCache(node));
  auto kernel = std::make_unique<UpdateKvCacheKernel>();
  kernel->threads = context.threads;
  kernel->s = s;
  kernel->position = KvPosition(node, kKvPosition);
  kernel->dtype = node.outputs[0].dtype;
  kernel->element = static_cast<int64_t>(SizeOf(kernel->dtype));
  kernel->bytes = Bytes(node.outputs[0]);
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs UpdateKvCache() {
  return {{DataType::kF32, PrepareUpdateKvCache},
          {DataType::kF16, PrepareUpdateKvCache},
          {DataType::kI8, PrepareUpdateKvCache}};
}

}  // namespace mace::cpu
