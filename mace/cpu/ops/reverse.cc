// Reverse on the CPU: a copy whose source has negative strides.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/reverse.h"

#include "mace/cpu/copy/slice_copy.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareReverse(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ReverseAttrs attrs,
                        ReadAttrs<ReverseAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  MACE_ASSIGN_OR_RETURN(const std::vector<int> axes,
                        ResolveAxes(node, attrs.axis, x.rank()));
  SliceSpec spec = WholeSlice(x.shape);
  for (int d : axes) {
    SetSlice(d, x.shape[d], INT64_MAX, INT64_MIN, -1, &spec);
  }
  return MakeSliceKernel(context, x, spec);
}

}  // namespace

CpuKernelDefs Reverse() { return ForAllTypes(PrepareReverse); }

}  // namespace mace::cpu
