// Stack on the CPU: each input is a box of the output.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/stack.h"

#include "mace/cpu/copy/copy_kernel.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareStack(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const StackAttrs attrs, ReadAttrs<StackAttrs>(node));
  const TensorType& y = node.outputs[0];
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, y.rank()));
  const mace::Shape& x = node.inputs[0].type.shape;
  std::vector<int64_t> strides = DenseStrides(y.shape);
  const int64_t step = strides[axis];
  strides.erase(strides.begin() + axis);
  std::vector<CopyBox> boxes;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    boxes.push_back(MakeBox(SizeOf(y.dtype), x, DenseStrides(x), 0, strides,
                            static_cast<int64_t>(i) * step));
    boxes.back().input = static_cast<int>(i);
  }
  return MakeCopyKernel(context, std::move(boxes));
}

}  // namespace

CpuKernelDefs Stack() { return ForAllTypes(PrepareStack); }

}  // namespace mace::cpu
