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
int64_t Best(const T* x, int64_t n, int64_t stride, const ArgMaxAttrs& attrs) {
  int64_t best = 0;
  for (int64_t i = 1; i < n; ++i) {
    const T v = x[i * stride], b = x[best * stride];
    if (b != b) return best;
    const bool better = attrs.argmin ? v < b : v > b;
    if (better || v != v || (attrs.select_last && v == b)) best = i;
  }
  return best;
}

template <typename T>
Result<KernelPtr> Prepare(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ArgMaxAttrs attrs, ReadAttrs<ArgMaxAttrs>(node));
  MACE_ASSIGN_OR_RETURN(
      const AxisLines lines,
      LinesAlong(node, attrs.axis, node.inputs[0].type.shape));
  const bool wide = node.outputs[0].dtype == DataType::kI64;
  return MakeKernel(
      [threads = context.threads, attrs, lines, wide](const RunArgs& args) {
        const T* from = args.inputs[0].as<const T>();
        threads->ParallelFor(lines.count(), 64, [&](size_t begin, size_t end) {
          for (size_t line = begin; line < end; ++line) {
            const int64_t best =
                Best(from + lines.Start(line), lines.n, lines.inner, attrs);
            if (wide) {
              args.outputs[0].as<int64_t>()[line] = best;
            } else {
              args.outputs[0].as<int32_t>()[line] = static_cast<int32_t>(best);
            }
          }
        });
      });
}

Result<KernelPtr> PrepareQ8(const Node& node, CpuContext& context) {
  return node.inputs[0].type.dtype == DataType::kU8
             ? Prepare<uint8_t>(node, context)
             : Prepare<int8_t>(node, context);
}

}  // namespace

CpuKernelDefs ArgMax() {
  return WithQ8({{DataType::kF32, Prepare<float>},
                 {DataType::kI32, Prepare<int32_t>},
                 {DataType::kI64, Prepare<int64_t>}},
                PrepareQ8);
}

}  // namespace mace::cpu
