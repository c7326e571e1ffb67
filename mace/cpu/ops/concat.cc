// Concat on the CPU: each input is a box of the output.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/concat.h"

#include "mace/cpu/copy/copy_kernel.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareConcat(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ConcatAttrs attrs, ReadAttrs<ConcatAttrs>(node));
  const TensorType& y = node.outputs[0];
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, y.rank()));
  const std::vector<int64_t> strides = DenseStrides(y.shape);
  std::vector<CopyBox> boxes;
  int64_t at = 0;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const mace::Shape& x = node.inputs[i].type.shape;
    boxes.push_back(MakeBox(SizeOf(y.dtype), x, DenseStrides(x), 0, strides,
                            at * strides[axis]));
    boxes.back().input = static_cast<int>(i);
    at += x[axis];
  }
  return MakeCopyKernel(context, std::move(boxes));
}

}  // namespace

CpuKernelDefs Concat() { return ForAllTypesAndFp16(PrepareConcat); }

}  // namespace mace::cpu
