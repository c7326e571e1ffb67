// ScatterElements on the CPU: a copy, then one element for each index.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/scatter_elements.h"

#include <cstring>

#include "mace/cpu/common/indices.h"
#include "mace/cpu/common/scatter_values.h"
#include "mace/cpu/copy/copy_kernel.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

struct ScatterElementsKernel final : Kernel {
  std::string label;
  DataType idx_dtype = DataType::kI64;
  mace::Shape shape;             // of idx
  std::vector<int64_t> strides;  // of data, in elements
  int axis = 0;
  int64_t extent = 0, n = 0, data_bytes = 0;
  size_t bytes = 4;             // of an element
  CombineFn combine = nullptr;  // null: replaces

  std::vector<Overlap> overlaps() const override { return {{0, 0}}; }

  // Runs in order: of equal indices the last one wins.
  Status Run(const RunArgs& args) override {
    const Indices idx(args.inputs[1].handle, idx_dtype);
    for (int64_t i = 0; i < n; ++i) {
      if (idx.At(i, extent) < 0) return IndexError(label, idx[i], extent);
    }
    const char* updates = args.inputs[2].as<const char>();
    char* y = args.outputs[0].as<char>();
    if (data_bytes == 0) return Status();
    if (y != args.inputs[0].handle) {
      std::memcpy(y, args.inputs[0].handle, static_cast<size_t>(data_bytes));
    }
    for (int64_t i = 0; i < n; ++i) {
      char* to = y + static_cast<size_t>(To(i, idx)) * bytes;
      const char* from = updates + static_cast<size_t>(i) * bytes;
      if (combine != nullptr) {
        combine(to, from, 1);
      } else {
        std::memcpy(to, from, bytes);
      }
    }
    return Status();
  }

  // Returns which element of y takes update i.
  int64_t To(int64_t i, const Indices& idx) const {
    int64_t to = idx.At(i, extent) * strides[axis];
    for (int d = static_cast<int>(shape.size()); d-- > 0;) {
      if (d != axis) to += i % shape[d] * strides[d];
      i /= shape[d];
    }
    return to;
  }
};

Result<KernelPtr> PrepareScatterElements(const Node& node, CpuContext&) {
  MACE_ASSIGN_OR_RETURN(const ScatterElementsAttrs attrs,
                        ReadAttrs<ScatterElementsAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ScatterKind kind,
                        ScatterKindOf(node, attrs.reduction));
  const TensorType& data = node.inputs[0].type;
  auto kernel = std::make_unique<ScatterElementsKernel>();
  MACE_ASSIGN_OR_RETURN(kernel->axis,
                        ResolveAxis(node, attrs.axis, data.rank()));
  kernel->label = Label(node);
  kernel->idx_dtype = node.inputs[1].type.dtype;
  kernel->shape = node.inputs[1].type.shape;
  kernel->strides = DenseStrides(data.shape);
  kernel->extent = data.shape[kernel->axis];
  kernel->n = NumElements(kernel->shape);
  kernel->data_bytes = Bytes(data);
  kernel->bytes = SizeOf(data.dtype);
  kernel->combine = CombineOf(kind, data.dtype);
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs ScatterElements() { return ForAllTypes(PrepareScatterElements); }

}  // namespace mace::cpu
