// Unstack on the CPU: each output is a box of the input.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/unstack.h"

#include "mace/cpu/copy/copy_kernel.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareUnstack(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const UnstackAttrs attrs,
                        ReadAttrs<UnstackAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, x.rank()));
  std::vector<int64_t> strides = DenseStrides(x.shape);
  const int64_t step = strides[axis];
  strides.erase(strides.begin() + axis);
  const mace::Shape& y = node.outputs[0].shape;
  std::vector<CopyBox> boxes;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    boxes.push_back(MakeBox(SizeOf(x.dtype), y, strides,
                            static_cast<int64_t>(i) * step, DenseStrides(y),
                            0));
    boxes.back().output = static_cast<int>(i);
  }
  return MakeCopyKernel(context, std::move(boxes));
}

}  // namespace

CpuKernelDefs Unstack() { return ForAllTypes(PrepareUnstack); }

}  // namespace mace::cpu
