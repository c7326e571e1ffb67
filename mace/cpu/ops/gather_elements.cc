// GatherElements on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/gather_elements.h"

#include <cstring>

#include "mace/cpu/common/indices.h"
#include "mace/cpu/copy/copy_kernel.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

struct GatherElementsKernel final : Kernel {
  ThreadPool* threads = nullptr;
  std::string label;
  DataType idx_dtype = DataType::kI64;
  mace::Shape shape;             // of y
  std::vector<int64_t> strides;  // of x, in elements
  int axis = 0;
  int64_t extent = 0, n = 0;
  size_t bytes = 4;  // of an element

  Status Run(const RunArgs& args) override {
    const Indices idx(args.inputs[1].handle, idx_dtype);
    for (int64_t i = 0; i < n; ++i) {
      if (idx.At(i, extent) < 0) return IndexError(label, idx[i], extent);
    }
    const char* x = args.inputs[0].as<const char>();
    char* y = args.outputs[0].as<char>();
    threads->ParallelFor(n, 1024, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const int64_t from = From(static_cast<int64_t>(i), idx);
        std::memcpy(y + i * bytes, x + static_cast<size_t>(from) * bytes,
                    bytes);
      }
    });
    return Status();
  }

  // Returns which element of x is element i of y.
  int64_t From(int64_t i, const Indices& idx) const {
    int64_t from = idx.At(i, extent) * strides[axis];
    for (int d = static_cast<int>(shape.size()); d-- > 0;) {
      if (d != axis) from += i % shape[d] * strides[d];
      i /= shape[d];
    }
    return from;
  }
};

Result<KernelPtr> PrepareGatherElements(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const GatherElementsAttrs attrs,
                        ReadAttrs<GatherElementsAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  auto kernel = std::make_unique<GatherElementsKernel>();
  MACE_ASSIGN_OR_RETURN(kernel->axis, ResolveAxis(node, attrs.axis, x.rank()));
  kernel->threads = context.threads;
  kernel->label = Label(node);
  kernel->idx_dtype = node.inputs[1].type.dtype;
  kernel->shape = node.outputs[0].shape;
  kernel->strides = DenseStrides(x.shape);
  kernel->extent = x.shape[kernel->axis];
  kernel->n = NumElements(kernel->shape);
  kernel->bytes = SizeOf(x.dtype);
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs GatherElements() { return ForAllTypes(PrepareGatherElements); }

}  // namespace mace::cpu
