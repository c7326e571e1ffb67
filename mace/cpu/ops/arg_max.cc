// ArgMax on the CPU, over any axis.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/arg_max.h"

#include "mace/cpu/common/axis_lines.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"

namespace mace::cpu {
namespace {

// Returns the index of the best of n elements, `stride` apart. The first NaN
// wins, as in NumPy.
template <typename T>
int64_t Best(const void* first, int64_t n, int64_t stride,
             const ArgMaxAttrs& attrs) {
  const T* const x = static_cast<const T*>(first);
  int64_t best = 0;
  for (int64_t i = 1; i < n; ++i) {
    const T v = x[i * stride], b = x[best * stride];
    if (b != b) return best;
    const bool better = attrs.argmin ? v < b : v > b;
    if (better || v != v || (attrs.select_last && v == b)) best = i;
  }
  return best;
}

using BestFn = int64_t(const void* first, int64_t n, int64_t stride,
                       const ArgMaxAttrs& attrs);

BestFn* BestOf(DataType dtype) {
  switch (dtype) {
    case DataType::kI32:
      return Best<int32_t>;
    case DataType::kI64:
      return Best<int64_t>;
    default:
      break;
  }
  if constexpr (kHas8BitKernels) {
    if (dtype == DataType::kI8) return Best<int8_t>;
    if (dtype == DataType::kU8) return Best<uint8_t>;
  }
  return Best<float>;
}

Result<KernelPtr> PrepareArgMax(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ArgMaxAttrs attrs, ReadAttrs<ArgMaxAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  MACE_ASSIGN_OR_RETURN(const AxisLines lines,
                        LinesAlong(node, attrs.axis, x.shape));
  const bool wide = node.outputs[0].dtype == DataType::kI64;
  return MakeKernel([threads = context.threads, attrs, lines, wide,
                     best_of = BestOf(x.dtype),
                     bytes = SizeOf(x.dtype)](const RunArgs& args) {
    threads->ParallelFor(lines.count(), 64, [&](size_t begin, size_t end) {
      for (size_t line = begin; line < end; ++line) {
        const int64_t best =
            best_of(args.inputs[0].as<const char>() +
                        lines.Start(static_cast<int64_t>(line)) * bytes,
                    lines.n, lines.inner, attrs);
        if (wide) {
          args.outputs[0].as<int64_t>()[line] = best;
        } else {
          args.outputs[0].as<int32_t>()[line] = static_cast<int32_t>(best);
        }
      }
    });
  });
}

}  // namespace

CpuKernelDefs ArgMax() {
  return WithQ8({{DataType::kF32, PrepareArgMax},
                 {DataType::kI32, PrepareArgMax},
                 {DataType::kI64, PrepareArgMax}},
                PrepareArgMax);
}

}  // namespace mace::cpu
