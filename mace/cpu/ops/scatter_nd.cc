// ScatterNd on the CPU: a copy, then a run of bytes for each index tuple.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/scatter_nd.h"

#include <cstring>

#include "mace/cpu/common/index_tuples.h"
#include "mace/cpu/copy/copy_kernel.h"

namespace mace::cpu {
namespace {

struct ScatterNdKernel final : Kernel {
  TupleSpec tuples;
  int64_t data_bytes = 0;

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
      std::memcpy(y + tuples.Offset(idx, t), updates + t * tuples.slice_bytes,
                  static_cast<size_t>(tuples.slice_bytes));
    }
    return Status();
  }
};

Result<KernelPtr> Prepare(const Node& node, CpuContext&) {
  auto kernel = std::make_unique<ScatterNdKernel>();
  kernel->tuples = TuplesOf(node, node.inputs[0].type, node.inputs[1].type, 0);
  kernel->data_bytes = Bytes(node.inputs[0].type);
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs ScatterNd() { return ForAllTypes(Prepare); }

}  // namespace mace::cpu
