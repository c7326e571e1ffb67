// Cumsum on the CPU, over any axis.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/cumsum.h"

#include "mace/cpu/common/axis_lines.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/common/wrap.h"

namespace mace::cpu {
namespace {

// Sums up (or multiplies) n elements, `stride` apart; a negative stride starts
// at the end.
template <typename T>
void SumUp(const void* from, void* to, int64_t n, int64_t stride,
           const CumsumAttrs& attrs) {
  const T* const x = static_cast<const T*>(from);
  T* const y = static_cast<T*>(to);
  T sum = attrs.product ? 1 : 0;
  for (int64_t i = 0; i < n; ++i) {
    const T v = x[i * stride];
    const T next = attrs.product ? Wrap<T>::Mul(sum, v) : Wrap<T>::Add(sum, v);
    y[i * stride] = attrs.exclusive ? sum : next;
    sum = next;
  }
}

Result<KernelPtr> PrepareCumsum(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const CumsumAttrs attrs, ReadAttrs<CumsumAttrs>(node));
  MACE_ASSIGN_OR_RETURN(
      const AxisLines lines,
      LinesAlong(node, attrs.axis, node.inputs[0].type.shape));
  const DataType dtype = node.inputs[0].type.dtype;
  const auto sum_up = dtype == DataType::kF32   ? SumUp<float>
                      : dtype == DataType::kI32 ? SumUp<int32_t>
                                                : SumUp<int64_t>;
  KernelProperties properties;
  properties.overlaps = {{0, 0}};
  return MakeKernel(
      [threads = context.threads, attrs, lines, sum_up,
       bytes = static_cast<int64_t>(SizeOf(dtype))](const RunArgs& args) {
        const char* from = args.inputs[0].as<const char>();
        char* to = args.outputs[0].as<char>();
        threads->ParallelFor(lines.count(), 64, [=](size_t begin, size_t end) {
          if (lines.n == 0) return;
          const int64_t stride = attrs.reverse ? -lines.inner : lines.inner;
          for (size_t line = begin; line < end; ++line) {
            int64_t at = lines.Start(line);
            if (attrs.reverse) at += (lines.n - 1) * lines.inner;
            sum_up(from + at * bytes, to + at * bytes, lines.n, stride, attrs);
          }
        });
      },
      properties);
}

}  // namespace

CpuKernelDefs Cumsum() {
  return {{DataType::kF32, PrepareCumsum},
          {DataType::kI32, PrepareCumsum},
          {DataType::kI64, PrepareCumsum}};
}

}  // namespace mace::cpu
