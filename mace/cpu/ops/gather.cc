// Gather on the CPU: copies a run of bytes for each index, or makes floats of a
// row of quantized values.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/gather.h"

#include <algorithm>
#include <cstring>

#include "mace/cpu/common/indices.h"
#include "mace/cpu/copy/copy_kernel.h"
#include "mace/cpu/quantized/dequantize_rows.h"
#include "mace/device/widen_weights.h"
#include "mace/graph/stored_weight.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

// x is seen as [batch, outer, extent, run], idx as [batch, count] and y as
// [batch, outer, count, run].
struct GatherKernel final : Kernel {
  ThreadPool* threads = nullptr;
  std::string label;
  DataType idx_dtype = DataType::kI64;
  bool from_start = false;
  int64_t batch = 1, outer = 1, extent = 1, count = 1, run_bytes = 0;
  std::shared_ptr<const void> floats;  // x if it is stored in another type

  Status Run(const RunArgs& args) override {
    const Indices idx(args.inputs[1].handle, idx_dtype, from_start);
    for (int64_t i = 0; i < batch * count; ++i) {
      if (idx.At(i, extent) < 0) return IndexError(label, idx[i], extent);
    }
    if (run_bytes == 0) return Status();
    const char* x = floats != nullptr ? static_cast<const char*>(floats.get())
                                      : args.inputs[0].as<const char>();
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

// Rows of x, which is stored as int8 or int4.
struct GatherQuantized final : Kernel {
  GatherQuantized(const Operand& x, const CpuContext& context)
      : rows(x, context.features) {}

  int64_t scratch_bytes() const override {
    return pieces * rows.scratch() * static_cast<int64_t>(sizeof(float));
  }
  std::string variant() const override { return rows.variant(); }

  Status Run(const RunArgs& args) override {
    const Indices idx(args.inputs[1].handle, idx_dtype, from_start);
    const int64_t extent = rows.rows().rows, run = rows.rows().depth;
    for (int64_t i = 0; i < count; ++i) {
      if (idx.At(i, extent) < 0) return IndexError(label, idx[i], extent);
    }
    const int64_t of_piece = (count + pieces - 1) / pieces;
    threads->ParallelFor(pieces, 1, [&](size_t begin, size_t end) {
      for (auto p = static_cast<int64_t>(begin); p < static_cast<int64_t>(end);
           ++p) {
        const int64_t last = std::min(count, (p + 1) * of_piece);
        for (int64_t i = p * of_piece; i < last; ++i) {
          const int64_t row = idx.At(i, extent);
          rows.Run(row, row + 1, args.scratch.as<float>() + p * rows.scratch(),
                   args.outputs[0].as<float>() + i * run);
        }
      }
    });
    return Status();
  }

  DequantizedRows rows;
  ThreadPool* threads = nullptr;
  std::string label;
  DataType idx_dtype = DataType::kI64;
  bool from_start = false;
  int64_t count = 1;
  int64_t pieces = 1;  // of the indices, one for each thread
};

KernelPtr MakeGatherQuantized(const Node& node, const GatherAttrs& attrs,
                              const CpuContext& context) {
  auto kernel = std::make_unique<GatherQuantized>(node.inputs[0], context);
  kernel->threads = context.threads;
  kernel->label = Label(node);
  kernel->idx_dtype = node.inputs[1].type.dtype;
  kernel->from_start = attrs.from_start;
  kernel->count = NumElements(node.inputs[1].type.shape);
  kernel->pieces = context.threads->num_threads();
  return kernel;
}

// Returns whether the node copies rows of an x that is stored as int8 or int4.
bool GathersQuantized(const Node& node, int axis) {
  const Operand& x = node.inputs[0];
  return HasQuantizedRows(x) && axis == 0 && NumElements(x.type.shape) > 0;
}

Result<KernelPtr> PrepareGather(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const GatherAttrs attrs, ReadAttrs<GatherAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  const TensorType& idx = node.inputs[1].type;
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, x.rank()));
  if constexpr (kHas8BitKernels) {
    if (GathersQuantized(node, axis))
      return MakeGatherQuantized(node, attrs, context);
  }
  const int batch_dims = static_cast<int>(attrs.batch_dims);
  auto kernel = std::make_unique<GatherKernel>();
  if (node.inputs[0].stored != DataType::kInvalid) {
    MACE_ASSIGN_OR_RETURN(kernel->floats,
                          KeptFloats(node.inputs[0], context.packed));
  }
  kernel->threads = context.threads;
  kernel->label = Label(node);
  kernel->idx_dtype = idx.dtype;
  kernel->from_start = attrs.from_start;
  kernel->extent = x.shape[axis];
  kernel->run_bytes = static_cast<int64_t>(SizeOf(x.dtype));
  for (int d = 0; d < batch_dims; ++d) kernel->batch *= x.shape[d];
  for (int d = batch_dims; d < axis; ++d) kernel->outer *= x.shape[d];
  for (int d = axis + 1; d < x.rank(); ++d) kernel->run_bytes *= x.shape[d];
  for (int d = batch_dims; d < idx.rank(); ++d) kernel->count *= idx.shape[d];
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs Gather() {
  CpuKernelDefs defs = ForAllTypes(PrepareGather);
  for (CpuKernelDef& def : defs) {
    if (def.dtype == DataType::kF32) def.fp16_input = 0;
  }
  return defs;
}

}  // namespace mace::cpu
