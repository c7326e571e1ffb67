// ScatterNd on the CPU: a copy, then a slice for each index tuple.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/scatter_nd.h"

#include <cstring>

#include "mace/cpu/common/index_tuples.h"
#include "mace/cpu/common/scatter_values.h"
#include "mace/cpu/copy/copy_kernel.h"

namespace mace::cpu {
namespace {

struct ScatterNdKernel final : Kernel {
  TupleSpec tuples;
  int64_t data_bytes = 0;
  int64_t slice = 0;            // elements of a slice
  CombineFn combine = nullptr;  // null: replaces

  std::vector<Overlap> overlaps() const override { return {{0, 0}}; }

  // Runs in order: of equal indices the last one wins.
  Status Run(const RunArgs& args) override {
    const Indices idx(args.inputs[1].handle, tuples.idx_dtype);
    MACE_RETURN_IF_ERROR(tuples.Check(idx));
    const char* updates = args.inputs[2].as<const char>();
    char* y = args.outputs[0].as<char>();
    if (data_bytes == 0) return Status();
    if (y != args.inputs[0].handle) {
      std::memcpy(y, args.inputs[0].handle, static_cast<size_t>(data_bytes));
    }
    for (int64_t t = 0; t < tuples.count; ++t) {
      char* to = y + tuples.Offset(idx, t);
      const char* from = updates + t * tuples.slice_bytes;
      if (combine != nullptr) {
        combine(to, from, slice);
      } else {
        std::memcpy(to, from, static_cast<size_t>(tuples.slice_bytes));
      }
    }
    return Status();
  }
};

Result<KernelPtr> PrepareScatterNd(const Node& node, CpuContext&) {
  MACE_ASSIGN_OR_RETURN(const ScatterNdAttrs attrs,
                        ReadAttrs<ScatterNdAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ScatterKind kind,
                        ScatterKindOf(node, attrs.reduction));
  const TensorType& data = node.inputs[0].type;
  auto kernel = std::make_unique<ScatterNdKernel>();
  kernel->tuples = TuplesOf(node, data, node.inputs[1].type, 0);
  kernel->data_bytes = Bytes(data);
  kernel->slice =
      kernel->tuples.slice_bytes / static_cast<int64_t>(SizeOf(data.dtype));
  kernel->combine = CombineOf(kind, data.dtype);
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs ScatterNd() { return ForAllTypes(PrepareScatterNd); }

}  // namespace mace::cpu
