// NonZero on the CPU: one pass over the elements.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"

namespace mace::cpu {
namespace {

// Writes the place of element `i` into a column of the indices, which are `n`
// apart.
void WriteIndex(const Shape& shape, int64_t i, int64_t n, int64_t* column) {
  for (size_t d = shape.size(); d-- > 0;) {
    column[static_cast<int64_t>(d) * n] = i % shape[d];
    i /= shape[d];
  }
}

template <typename T>
int64_t WriteIndices(const Shape& shape, const void* from, int64_t* indices) {
  const T* const x = static_cast<const T*>(from);
  const int64_t n = NumElements(shape);
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (x[i] != 0) WriteIndex(shape, i, n, indices + count++);
  }
  return count;
}

// Of integers, only their size matters.
auto* WriterOf(DataType dtype) {
  if (dtype == DataType::kF32) return WriteIndices<float>;
  switch (SizeOf(dtype)) {
    case 1:
      return WriteIndices<uint8_t>;
    case 2:
      return WriteIndices<uint16_t>;
    case 4:
      return WriteIndices<uint32_t>;
    default:
      return WriteIndices<uint64_t>;
  }
}

Result<KernelPtr> PrepareNonZero(const Node& node, CpuContext&) {
  const TensorType& x = node.inputs[0].type;
  return MakeKernel(
      [shape = x.shape, write = WriterOf(x.dtype)](const RunArgs& args) {
        int64_t* indices = args.outputs[0].as<int64_t>();
        std::fill_n(indices,
                    NumElements(shape) * static_cast<int64_t>(shape.size()), 0);
        const int64_t count = write(shape, args.inputs[0].handle, indices);
        if (args.outputs.size() > 1) *args.outputs[1].as<int64_t>() = count;
      });
}

}  // namespace

CpuKernelDefs NonZero() {
  return {{DataType::kF32, PrepareNonZero}, {DataType::kI32, PrepareNonZero},
          {DataType::kI64, PrepareNonZero}, {DataType::kI16, PrepareNonZero},
          {DataType::kI8, PrepareNonZero},  {DataType::kU8, PrepareNonZero},
          {DataType::kBool, PrepareNonZero}};
}

}  // namespace mace::cpu
