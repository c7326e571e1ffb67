// Cumsum on the CPU, over any axis.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/cumsum.h"

#include "mace/cpu/function_kernel.h"
#include "mace/cpu/kernel_table.h"
#include "mace/cpu/wrap.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

// n elements, `stride` apart (negative: from the end).
template <typename T>
void SumUp(const T* x, T* y, int64_t n, int64_t stride, bool exclusive) {
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const T next = Wrap<T>::Add(sum, x[i * stride]);
    y[i * stride] = exclusive ? sum : next;
    sum = next;
  }
}

template <typename T>
Result<KernelPtr> Prepare(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const CumsumAttrs attrs, ReadAttrs<CumsumAttrs>(node));
  const mace::Shape& x = node.inputs[0].type.shape;
  MACE_ASSIGN_OR_RETURN(
      const int axis,
      ResolveAxis(node, attrs.axis, static_cast<int>(x.size())));
  const int64_t n = x[axis];
  const int64_t outer = NumElements(mace::Shape(x.begin(), x.begin() + axis));
  const int64_t inner = NumElements(mace::Shape(x.begin() + axis + 1, x.end()));
  KernelFacts facts;
  facts.overlaps = {{0, 0}};
  return MakeKernel(
      [threads = context.threads, attrs, outer, n, inner](const RunArgs& args) {
        const T* from = args.inputs[0].as<const T>();
        T* to = args.outputs[0].as<T>();
        threads->ParallelFor(outer * inner, 64, [=](size_t begin, size_t end) {
          if (n == 0) return;
          for (size_t r = begin; r < end; ++r) {
            int64_t at = (r / inner) * n * inner + r % inner;
            if (attrs.reverse) at += (n - 1) * inner;
            SumUp(from + at, to + at, n, attrs.reverse ? -inner : inner,
                  attrs.exclusive);
          }
        });
      },
      facts);
}

}  // namespace

CpuKernelDefs Cumsum() {
  return {{DataType::kF32, Prepare<float>},
          {DataType::kI32, Prepare<int32_t>},
          {DataType::kI64, Prepare<int64_t>}};
}

}  // namespace mace::cpu
