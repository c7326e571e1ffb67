// OneHot on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/one_hot.h"

#include <algorithm>

#include "mace/cpu/common/axis_lines.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/indices.h"
#include "mace/cpu/common/kernel_table.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareOneHot(const Node& node, CpuContext&) {
  MACE_ASSIGN_OR_RETURN(const OneHotAttrs attrs, ReadAttrs<OneHotAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const AxisLines lines,
                        LinesAlong(node, attrs.axis, node.outputs[0].shape));
  return MakeKernel(
      [attrs, lines, dtype = node.inputs[0].type.dtype](const RunArgs& args) {
        const Indices idx(args.inputs[0].handle, dtype);
        float* to = args.outputs[0].as<float>();
        std::fill_n(to, lines.count() * lines.n, attrs.off_value);
        for (int64_t line = 0; line < lines.count(); ++line) {
          const int64_t at = idx[line];
          if (at < 0 || at >= lines.n) continue;
          to[lines.Start(line) + at * lines.inner] = attrs.on_value;
        }
      });
}

}  // namespace

CpuKernelDefs OneHot() {
  return {{DataType::kI32, PrepareOneHot}, {DataType::kI64, PrepareOneHot}};
}

}  // namespace mace::cpu
