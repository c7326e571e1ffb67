// OneHot on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/one_hot.h"

#include <algorithm>

#include "mace/cpu/function_kernel.h"
#include "mace/cpu/indices.h"
#include "mace/cpu/kernel_table.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

// y viewed as [outer, depth, inner], idx as [outer, inner].
Result<KernelPtr> Prepare(const Node& node, CpuContext&) {
  MACE_ASSIGN_OR_RETURN(const OneHotAttrs attrs, ReadAttrs<OneHotAttrs>(node));
  const TensorType& y = node.outputs[0];
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, y.rank()));
  const int64_t total = NumElements(y.shape);
  const int64_t depth = y.shape[axis];
  const int64_t inner =
      NumElements(mace::Shape(y.shape.begin() + axis + 1, y.shape.end()));
  return MakeKernel([attrs, total, depth, inner,
                     dtype = node.inputs[0].type.dtype](const RunArgs& args) {
    if (total == 0) return;
    const Indices idx(args.inputs[0].handle, dtype);
    float* to = args.outputs[0].as<float>();
    std::fill_n(to, total, attrs.off_value);
    for (int64_t i = 0; i < total / depth; ++i) {
      const int64_t at = idx[i];
      if (at < 0 || at >= depth) continue;
      to[(i / inner * depth + at) * inner + i % inner] = attrs.on_value;
    }
  });
}

}  // namespace

CpuKernelDefs OneHot() {
  return {{DataType::kI32, Prepare}, {DataType::kI64, Prepare}};
}

}  // namespace mace::cpu
