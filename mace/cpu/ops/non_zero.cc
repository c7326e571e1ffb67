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
Result<KernelPtr> Prepare(const Node& node, CpuContext&) {
  return MakeKernel(
      [shape = node.inputs[0].type.shape](const RunArgs& args) {
        const T* x = args.inputs[0].as<const T>();
        int64_t* indices = args.outputs[0].as<int64_t>();
        const int64_t n = NumElements(shape);
        std::fill_n(indices, n * static_cast<int64_t>(shape.size()), 0);
        int64_t count = 0;
        for (int64_t i = 0; i < n; ++i) {
          if (x[i] != 0) WriteIndex(shape, i, n, indices + count++);
        }
        if (args.outputs.size() > 1) *args.outputs[1].as<int64_t>() = count;
      },
      KernelFacts());
}

}  // namespace

CpuKernelDefs NonZero() {
  return {
      {DataType::kF32, Prepare<float>},   {DataType::kI32, Prepare<int32_t>},
      {DataType::kI64, Prepare<int64_t>}, {DataType::kI16, Prepare<int16_t>},
      {DataType::kI8, Prepare<int8_t>},   {DataType::kU8, Prepare<uint8_t>},
      {DataType::kBool, Prepare<uint8_t>}};
}

}  // namespace mace::cpu
